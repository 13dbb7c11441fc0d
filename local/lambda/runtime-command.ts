import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { RuntimeSettings } from './bootstrap.ts';

const BOOTSTRAP = fileURLToPath(new URL('bootstrap.ts', import.meta.url));
const CACHE = fileURLToPath(new URL('../../.cache/', import.meta.url));
const HASH_LENGTH = 16;

let runtime: string | undefined;

export function runtimeCommand(settings: RuntimeSettings): string[] {
  return [runtimeFile(), JSON.stringify(settings)];
}

export function runtimeFile(): string {
  runtime ??= bundled();
  return runtime;
}

/** One script without types: removing them takes 60 ms of CPU, which each environment would spend. */
function bundled(): string {
  const options = { bundle: true, platform: 'node', format: 'esm', write: false } as const;
  const code = buildSync({ entryPoints: [BOOTSTRAP], ...options }).outputFiles[0]?.text ?? '';
  const hash = createHash('sha256').update(code).digest('hex').slice(0, HASH_LENGTH);
  const file = join(CACHE, `runtime-${hash}.mjs`);
  if (existsSync(file)) return file;
  const draft = `${file}.${randomUUID()}`;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(draft, code);
  renameSync(draft, file);
  return file;
}
