import { fileURLToPath } from 'node:url';
import type { RuntimeSettings } from './bootstrap.ts';

const BOOTSTRAP = fileURLToPath(new URL('bootstrap.ts', import.meta.url));

export function runtimeCommand(settings: RuntimeSettings): string[] {
  return [BOOTSTRAP, JSON.stringify(settings)];
}
