import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Writes `typescript/dist`: JavaScript and declarations of the client. */
export function buildClient(): void {
  rmSync(at('typescript/dist'), { recursive: true, force: true });
  const tsc = at('../node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '--project', at('typescript')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stdout);
}

/** Writes the command line as one file, with the client in it. */
export async function buildCommandLine(outfile = at('cli/dist/sitefetch.js')): Promise<void> {
  await build({
    entryPoints: [at('cli/src/sitefetch.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    external: ['@modelcontextprotocol/*'],
  });
}

if (import.meta.main) {
  buildClient();
  await buildCommandLine();
}
