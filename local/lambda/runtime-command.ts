import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { RuntimeSettings } from './bootstrap.ts';

const BOOTSTRAP = fileURLToPath(new URL('bootstrap.ts', import.meta.url));

let code: string | undefined;

export function runtimeCommand(settings: RuntimeSettings): string[] {
  code ??= bundled();
  return ['--input-type=module', '--eval', code, JSON.stringify(settings)];
}

/** One script without types: removing them takes 60 ms of CPU, which each environment would spend. */
function bundled(): string {
  const options = { bundle: true, platform: 'node', format: 'esm', minify: true, write: false } as const;
  return buildSync({ entryPoints: [BOOTSTRAP], ...options }).outputFiles[0]?.text ?? '';
}
