import type { Level, Log } from '../../../shared/observe/log.ts';

export type Line = { level: Level; message: string } & Record<string, unknown>;

/** A log that keeps its lines. */
export function keptLog() {
  const lines: Line[] = [];
  const write = (level: Level) => (message: string, fields: object) =>
    void lines.push({ ...fields, level, message });
  const log: Log = { info: write('info'), warn: write('warn'), error: write('error') };
  return { log, lines };
}
