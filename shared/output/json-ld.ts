import type { Document } from 'domhandler';
import { isDeeperThan } from '../domain/json-depth.ts';
import { findAll, rawText } from '../html/tree.ts';

type Node = Record<string, unknown>;

const ARTICLE = /Article|BlogPosting|NewsArticle|WebPage|Product|Recipe|Event|VideoObject/;

/** Readers of JSON take some hundred levels, and pages for search engines use a dozen. */
const MAX_DEPTH = 64;

type JsonLd = { blocks: unknown[]; omitted: number };

/** All JSON-LD that can be read. Blocks that are nested too deep are left out, and counted. */
export function jsonLdOf(document: Document): JsonLd {
  const read = parsedIn(document);
  const blocks = read.filter((block) => !isDeeperThan(MAX_DEPTH, block));
  return { blocks, omitted: read.length - blocks.length };
}

function parsedIn(document: Document): unknown[] {
  const scripts = findAll(
    document,
    ({ name, attribs }) => name === 'script' && /ld\+json/i.test(attribs.type ?? ''),
  );
  return scripts.flatMap((script) => {
    try {
      const json = rawText(script).replace(/^\s*<!--|-->\s*$|^\s*\/\*.*?\*\/|\/\*.*?\*\/\s*$/g, '');
      return [JSON.parse(json) as unknown];
    } catch {
      return [];
    }
  });
}

/** What the page is about, with the nodes that it refers to; empty if no node says it. */
export function mainNodeOf(jsonLd: readonly unknown[]): Node {
  const main = jsonLd.flatMap(nodesOf).find(({ '@type': type }) => ARTICLE.test(String(type))) ?? {};
  const known = new Map(jsonLd.flatMap(identified));
  const entries = Object.entries(main).map(([name, value]) => [name, followed(value, known)] as const);
  return Object.fromEntries(entries);
}

/** Nodes at any depth that say more of what they identify: https://www.w3.org/TR/json-ld11/#node-identifiers */
function identified(value: unknown): [id: unknown, node: Node][] {
  if (Array.isArray(value)) return value.flatMap(identified);
  if (!isNode(value)) return [];
  const isMore = '@id' in value && Object.keys(value).length > 1;
  return [
    ...(isMore ? [[value['@id'], value] as [unknown, Node]] : []),
    ...Object.values(value).flatMap(identified),
  ];
}

function followed(value: unknown, known: ReadonlyMap<unknown, Node>): unknown {
  if (Array.isArray(value)) return value.map((each) => followed(each, known));
  return isNode(value) && '@id' in value ? { ...known.get(value['@id']), ...value } : value;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function nodesOf(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  if (!isNode(value)) return [];
  return [value, ...('@graph' in value ? nodesOf(value['@graph']) : [])];
}

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The name of a person or an organization, or of several. */
export function nameOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(nameOf).filter(Boolean).join(', ') || undefined;
  return isNode(value) ? textOf(value.name) : undefined;
}

/** The addresses of an image, or of several. */
export function imagesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(imagesOf);
  const addresses = isNode(value) ? [value.url, value.contentUrl] : [value];
  return addresses.map(textOf).filter((address) => address !== undefined);
}
