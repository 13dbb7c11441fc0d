import { fileURLToPath } from 'node:url';
import type { RuntimeSettings } from './bootstrap.ts';

const BOOTSTRAP = fileURLToPath(new URL('bootstrap.ts', import.meta.url));

/** Arguments of Node that start the runtime of one environment. */
export function runtimeCommand(settings: RuntimeSettings): string[] {
  return [BOOTSTRAP, JSON.stringify(settings)];
}
