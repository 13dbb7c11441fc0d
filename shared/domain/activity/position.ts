import type { ActivityLine } from '../../contract/activity.ts';

/** The position of a line among those of its organization; sorts by time. */
export function positionFor({ time, id }: Pick<ActivityLine, 'time' | 'id'>): string {
  return `${time.toISOString()}#${id}`;
}

const POSITION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#[\w-]{1,64}$/;

/** A position as an opaque cursor for callers. */
export function cursorOf(position: string): string {
  return Buffer.from(position).toString('base64url');
}

/** Undefined for a malformed cursor. Another organization's cursor is just a time here. */
export function positionIn(cursor: string): string | undefined {
  const position = Buffer.from(cursor, 'base64url').toString();
  return POSITION.test(position) && cursorOf(position) === cursor ? position : undefined;
}
