import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { errorCodes } from '../../shared/errors.ts';
import { errorPage } from './error-page.ts';
import { indexPage } from './index-page.ts';

/** Writes the documentation that `/docs` serves: one page, and one for each error code. */
export async function writeDocs(into: string): Promise<void> {
  const errors = join(into, 'errors');
  await mkdir(errors, { recursive: true });
  await writeFile(join(into, 'index.html'), await indexPage(manifest.version));
  await Promise.all(
    errorCodes.map((code) => writeFile(join(errors, `${code}.html`), errorPage(code, manifest.version))),
  );
}
