import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeWhole } from './write-whole.ts';

/** The demo organization, its key, and the demo site's port, which the URLs of kept jobs name. */
const Demo = z.object({ org_id: z.string(), api_key: z.string(), site_port: z.number() });
export type Demo = z.infer<typeof Demo>;

export type KeptState = {
  folder: string;
  demo: Demo | undefined;
  keep: (demo: Demo) => Promise<void>;
};

/** Opens the state that earlier runs left in a folder. `fresh` deletes it first. */
export async function openState(localDir: string, fresh: boolean): Promise<KeptState> {
  const folder = join(localDir, 'state');
  const begun = fresh ? [folder, join(localDir, 'mail')] : [];
  for (const each of begun) await rm(each, { recursive: true, force: true });
  // It holds a key and pages.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'demo.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return {
    folder,
    demo: text === undefined ? undefined : Demo.parse(JSON.parse(text)),
    keep: (demo) => writeWhole(file, `${JSON.stringify(demo, null, 2)}\n`),
  };
}
