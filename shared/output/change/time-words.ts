/** Languages whose dates and ages are known. */
const LANGUAGES = 'en de fr es it pt nl sv da pl cs ru uk tr ja zh ko'.split(' ');
const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const;
const WIDTHS = ['long', 'short'] as const;
/** One of each plural form: https://cldr.unicode.org/index/cldr-spec/plural-rules */
const COUNTS = [1, 2, 5];

/** What languages say before and after the number of `3 minutes ago`. */
export function ages(): [before: string, after: string][] {
  const formats = inAll((language, style) => new Intl.RelativeTimeFormat(language, { style }));
  const said = formats.flatMap((format) =>
    UNITS.flatMap((unit) => COUNTS.map((count) => format.formatToParts(-count, unit))),
  );
  return said.map((parts) => {
    const at = parts.findIndex(({ type }) => type === 'integer');
    const words = (some: typeof parts) => some.map(({ value }) => value).join('');
    return [words(parts.slice(0, at)), words(parts.slice(at + 1))];
  });
}

/** The names of months and days, without the dots of short ones. */
export function namesInDates(): string[] {
  // The first days of these months are of all weekdays.
  const days = [...Array(12).keys()].map((month) => new Date(Date.UTC(2026, month, 1)));
  const formats = inAll(
    (language, width) =>
      new Intl.DateTimeFormat(language, { timeZone: 'UTC', month: width, weekday: width, day: 'numeric' }),
  );
  return formats
    .flatMap((format) => days.flatMap((day) => format.formatToParts(day)))
    .filter(({ type, value }) => (type === 'month' || type === 'weekday') && /^\p{L}/u.test(value))
    .map(({ value }) => value.replace(/\.$/, ''));
}

function inAll<Format>(formatOf: (language: string, width: (typeof WIDTHS)[number]) => Format): Format[] {
  return LANGUAGES.flatMap((language) => WIDTHS.map((width) => formatOf(language, width)));
}
