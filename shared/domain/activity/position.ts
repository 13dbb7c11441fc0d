import type { ActivityLine } from '../../contract/activity.ts';

/** Where a line stands among those of its organization: sorts by time. */
export function positionFor({ time, id }: Pick<ActivityLine, 'time' | 'id'>): string {
  return `${time.toISOString()}#${id}`;
}

const POSITION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#[\w-]{1,64}$/;

/** A position as callers hold it, who are not to rely on what is in it. */
export function cursorOf(position: string): string {
  return Buffer.from(position).toString('base64url');
}

/** Undefined if it is no cursor. One of another organization is just a time here. */
export function positionIn(cursor: string): string | undefined {
  const position = Buffer.from(cursor, 'base64url').toString();
  return POSITION.test(position) && cursorOf(position) === cursor ? position : undefined;
}
