import { AppError } from '../errors.ts';

/** A position in a list, as an opaque cursor for callers. */
export function cursorOf(position: string): string {
  return Buffer.from(position).toString('base64url');
}

/** The position of a cursor. Throws `invalid_request` for anything that never was a `next_cursor`. */
export function readCursor(cursor: string, isPosition: (text: string) => boolean): string {
  const position = Buffer.from(cursor, 'base64url').toString();
  if (isPosition(position) && cursorOf(position) === cursor) return position;
  throw new AppError('invalid_request', {
    message: "Invalid value for 'cursor': expected the next_cursor of an earlier page.",
    fields: { param: 'cursor' },
  });
}
