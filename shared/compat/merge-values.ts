import { isJsonObject } from '../contract/json-object.ts';

type Values = Readonly<Record<string, unknown>>;

/** What was read from a page. */
type Read = { url: string; values: Values };

/**
 * One object of the values of several pages, and from which pages each of them is. Lists are joined, each
 * item once, and objects merged; of other values the first holds.
 */
export function mergeValues(pages: readonly Read[]): { data: Values; sources: Record<string, string[]> } {
  const data = pages.reduce<Values>((all, { values }) => joined(all, values) as Values, {});
  const sources = Object.keys(data).map((name) => [
    name,
    pages.filter(({ values }) => !isMissing(values[name])).map(({ url }) => url),
  ]);
  return { data, sources: Object.fromEntries(sources) as Record<string, string[]> };
}

function joined(one: unknown, other: unknown): unknown {
  if (isMissing(one)) return other ?? one;
  if (isMissing(other)) return one;
  if (isList(one) && isList(other)) return distinct([...one, ...other]);
  if (!isJsonObject(one) || !isJsonObject(other)) return one;
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(names.map((name) => [name, joined(own(one, name), own(other, name))]));
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value);

const own = (values: Values, name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);

const distinct = (items: readonly unknown[]) => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
];

const isMissing = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
