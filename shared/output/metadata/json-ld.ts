import type { Document } from 'domhandler';
import { isDeeperThan } from '../../domain/json-depth.ts';
import { findAll, rawText } from '../tree.ts';

type Node = Record<string, unknown>;

const ARTICLE = /Article|BlogPosting|NewsArticle|WebPage|Product|Recipe|Event|VideoObject/;

/** Readers of JSON take some hundred levels, and those of search engines use a dozen. */
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

/** What the page is about; empty if no node says it. */
export const mainNodeOf = (jsonLd: readonly unknown[]): Node =>
  jsonLd.flatMap(nodesOf).find(({ '@type': type }) => ARTICLE.test(String(type))) ?? {};

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

/** The address of an image, the first of several. */
export function imageOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return imageOf(value[0]);
  return isNode(value) ? textOf(value.url) : textOf(value);
}
