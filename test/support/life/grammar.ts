import type { Operation, Schema } from '../stack/described-api.ts';
import { NOBODYS, ODD_JSON, ODD_TEXTS, ODD_URLS, oddValue, valueOf } from './grammar-values.ts';
import type { Random } from '../world/random.ts';

/** A call as it goes over the wire. */
export type WireCall = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
};

/** What exists, by the names of path parameters, and pages to scrape. */
export type Known = {
  key: string;
  urls: readonly string[];
  ids: Readonly<Record<string, readonly string[]>>;
};

/** A random call of an operation. */
export function callOf(random: Random, operation: Operation, known: Known): WireCall {
  const { method, parameters, body } = operation;
  const inPlace = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const own = known.ids[name] ?? NOBODYS;
    return encodeURIComponent(
      random.chance(0.7) ? random.of(own) : random.of(ODD_TEXTS).toWellFormed() || 'x',
    );
  });
  const query = random
    .some(inPlace('query'), 0.3)
    .map(({ name, schema }): [string, string] => [
      name,
      textOf(name === 'url' ? urlOf(random, known) : valueOf(random, schema, 0.2)),
    ]);
  if (random.chance(0.05)) query.push([random.of(ODD_TEXTS), random.of(ODD_TEXTS)]);
  if (random.chance(0.05) && query[0]) query.push(query[0]);
  const text = new URLSearchParams(query).toString();
  return {
    method,
    path: text === '' ? path : `${path}?${text}`,
    headers: { ...headersOf(random, inPlace('header')), ...authorization(random, known) },
    body: body ? bodyOf(random, body, known) : random.chance(0.05) ? random.of(ODD_JSON) : undefined,
  };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const urlOf = (random: Random, { urls }: Known) =>
  random.chance(0.8) ? random.of(urls) : random.of([...ODD_URLS, ...ODD_TEXTS]);

function authorization(random: Random, { key }: Known): Record<string, string> {
  if (random.chance(0.95)) return { Authorization: `Bearer ${key}` };
  return random.of<Record<string, string>>([
    {},
    ...['Bearer', `Bearer ${key}x`, `Basic ${key}`, 'Bearer sf_live_0', 'x'].map((Authorization) => ({
      Authorization,
    })),
  ]);
}

/** Without what cannot be sent in a header. */
function headersOf(random: Random, described: Operation['parameters']): Record<string, string> {
  const own = random
    .some(described, 0.3)
    .map(({ name, schema }) => [name, textOf(valueOf(random, schema, 0.3))]);
  const more = random.some(
    [
      ['Range', random.of(['bytes=0-1', 'bytes=9-1', 'bytes=-0', 'x', 'bytes=0-1,5-6'])],
      ['If-None-Match', random.of(['*', '"x"', 'x'])],
      ['Accept', random.of(['application/json', '*/*', 'x', 'text/html;q=x'])],
      ['Accept-Encoding', random.of(['gzip', 'identity;q=0', 'x', '*;q=0'])],
      ['Prefer', random.of(['wait=0', 'wait=x', 'respond-redirect', 'wait=999999999'])],
      ['Content-Encoding', 'gzip'],
    ],
    0.05,
  );
  const sent = [['Content-Type', contentType(random)], ...own, ...more].map(([name = '', value = '']) => [
    name,
    value
      .replace(/[^\x20-\x7e]/g, '?')
      .slice(0, 2_000)
      .trim(),
  ]);
  return Object.fromEntries(sent.filter(([, value]) => value !== '')) as Record<string, string>;
}

const contentType = (random: Random) =>
  random.chance(0.93)
    ? 'application/json'
    : random.of(['text/plain', 'application/json; charset=latin1', 'x', 'application/json;charset=UTF-8']);

function bodyOf(random: Random, schema: Schema, known: Known): string {
  if (random.chance(0.1)) return random.of(ODD_JSON);
  const value = valueOf(random, schema, random.of([0, 0.02, 0.1]));
  const text = JSON.stringify(random.chance(0.03) ? oddValue(random) : withTarget(random, value, known));
  return random.chance(0.03) ? text.slice(0, random.int(text.length + 1)) : text;
}

/** Most scrapes are refused by their cap, so that nothing waits: one in ten is made, without a browser. */
function withTarget(random: Random, value: unknown, known: Known): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { requests } = value as { requests?: unknown };
  if (Array.isArray(requests))
    return { ...value, requests: requests.map((each) => withTarget(random, each, known)) };
  if (!('url' in value) || random.chance(0.1)) return value;
  const url = urlOf(random, known);
  if (random.chance(0.1)) return { url, format: random.of(['html', 'markdown', 'json']) };
  return { ...value, url, max_credits: 0 };
}
