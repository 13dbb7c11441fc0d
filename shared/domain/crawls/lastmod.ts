/** https://www.w3.org/TR/NOTE-datetime, and what is written in its place: a space, no zone, `+0000`. */
const W3C =
  /^(\d{4}(?:-\d\d(?:-\d\d)?)?)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s*(Z|[+-]\d\d:?\d\d)?)?$/i;
/** https://www.rfc-editor.org/rfc/rfc822#section-5, as RSS has it. */
const RFC822 = /^(?:[a-z]{3,9},?\s+)?\d{1,2}\s+[a-z]{3,9}\s+\d{4}\s+\d{1,2}:\d\d(?::\d\d)?(\s+\S+)?$/i;

/** A time as ISO 8601 in UTC, or a day, a month or a year in the same form. Undefined for other text. */
export function readLastmod(text: string): string | undefined {
  const written = text.trim();
  const [, day, time, zone = 'Z'] = W3C.exec(written) ?? [];
  if (day !== undefined && time === undefined) return isTime(day) ? day : undefined;
  if (day !== undefined) return utc(`${day}T${time}${zone.replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2')}`);
  const [known, offset] = RFC822.exec(written) ?? [];
  return known === undefined ? undefined : utc(offset === undefined ? `${known} GMT` : known);
}

const isTime = (text: string) => !Number.isNaN(Date.parse(text));
const utc = (text: string) => (isTime(text) ? new Date(text).toISOString() : undefined);
