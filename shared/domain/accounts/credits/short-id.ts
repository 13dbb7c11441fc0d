const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

/** A UUID in 22 characters instead of 36: writes of usage cost by the total size of its ids. */
export function shortId(uuid: string): string {
  return uuid.replace(UUID, (id) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url'));
}

/** The UUID that `shortId` shortened; undefined for anything else. */
export function longId(short: string): string | undefined {
  const hex = Buffer.from(short, 'base64url').toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return shortId(id) === short && id.length === UUID_LENGTH ? id : undefined;
}

const UUID_LENGTH = 36;

/** When a UUIDv7 was made: https://www.rfc-editor.org/rfc/rfc9562#section-5.7 */
export function timeOfId(uuid: string): Date | undefined {
  const [, high, low] = /^([\da-f]{8})-([\da-f]{4})-7/.exec(uuid) ?? [];
  return high && low ? new Date(Number.parseInt(high + low, 16)) : undefined;
}

/** Text that sorts before every UUIDv7 of a time, and after every earlier one. */
export function idBefore(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
