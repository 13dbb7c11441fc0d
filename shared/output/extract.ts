import { type Document, Element } from 'domhandler';
import { type ExtractRules, type Rule, ruleOf } from '../contract/scrape/extract-rules.ts';
import type { Miss } from '../contract/scrape/output.ts';
import { attributeOf } from '../html/tree.ts';
import { NotConvertible } from '../contract/scrape/not-convertible.ts';
import { outerHtml } from '../html/outer-html.ts';
import { tableArray, tableObjects } from './table-values.ts';
import { visibleText } from './visible-text.ts';
import { cssOver } from './select/css.ts';
import { type PageIndex, pageIndex } from './select/page-index.ts';
import { type Node, stringOf } from './select/xpath-values.ts';
import { xpathOver } from './select/xpath.ts';

/** What a selector finds: an element, or the text of an attribute or a computation. */
type Found = Element | string;
type Search = {
  absolute: Absolute;
  document: Document;
  css: ReturnType<typeof cssOver>;
  xpath: ReturnType<typeof xpathOver>;
  misses: Miss[];
};

/** The values that rules find, and every rule that found none. Throws if one of those is required. */
export function extract(document: Document, rules: ExtractRules, absolute: Absolute) {
  let known: PageIndex | undefined;
  const index = () => (known ??= pageIndex(document));
  const search: Search = { absolute, document, css: cssOver(index), xpath: xpathOver(index), misses: [] };
  const values = valuesOf(undefined, rules, search, '');
  return { extract: values, extractReport: search.misses };
}

function valuesOf(context: Element | undefined, rules: ExtractRules, search: Search, path: string) {
  const entries = Object.entries(rules).map(([name, short]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [name, valueOf(context, ruleOf(short), search, at)] as const;
  });
  return Object.fromEntries(entries);
}

function valueOf(context: Element | undefined, rule: Rule, search: Search, path: string): unknown {
  const found = select(context, rule, search, path);
  const isList = rule.type === 'list';
  const values = found.map((each, index) =>
    outputOf(each, rule, search, isList ? `${path}[${index}]` : path),
  );
  const present = values.filter((value) => value !== undefined);
  if (present.length === 0) {
    if (rule.required) throw new NotConvertible('required', path);
    search.misses.push({
      rule: path,
      selector: rule.selector,
      reason: found.length > 0 ? 'no_value' : 'no_match',
    });
  }
  return isList ? present : (present[0] ?? null);
}

function select(context: Element | undefined, rule: Rule, search: Search, path: string): Found[] {
  const { selector, isXPath, type } = rule;
  if (isXPath) return byXPath(context, rule, search, path);
  if (selector.trim() === '') return context ? [context] : anywhere(rule, search);
  return search.css(selector, context ?? search.document, type === 'list');
}

/** An attribute alone, as in `@href`, may be of any element. */
function anywhere({ attribute, type }: Rule, { css, document }: Search): Found[] {
  const name = attribute?.replace(/[.:]/g, '\\$&');
  if (name === undefined) return [];
  return css(`[${name}]`, document, type === 'list');
}

/** Inside nested rules a leading slash begins at their element. */
function byXPath(
  context: Element | undefined,
  { selector, type }: Rule,
  { xpath }: Search,
  rule: string,
): Found[] {
  const path = selector.trim();
  const result = evaluated(() => xpath(context && path.startsWith('/') ? `.${path}` : path, context), rule);
  if (typeof result === 'string') return [result];
  const found = result.map(foundIn);
  return type === 'list' ? found : found.slice(0, 1);
}

/** Unknown functions and wrong types show only when an expression is evaluated. */
function evaluated<T>(evaluate: () => T, rule: string): T {
  try {
    return evaluate();
  } catch {
    throw new NotConvertible('rule', rule);
  }
}

const foundIn = (node: Node): Found => (node instanceof Element ? node : stringOf(node));

function outputOf(found: Found, { output, attribute, clean }: Rule, search: Search, path: string): unknown {
  const tidy = (text: string) => (clean ? text.replace(/\s+/g, ' ').trim() : text);
  if (output === 'url') return urlIn(found, attribute, search.absolute);
  if (typeof found === 'string') return tidy(found);
  if (typeof output === 'object') return valuesOf(found, output, search, path);
  if (output === 'html') return clean ? outerHtml(found).trim() : outerHtml(found);
  if (output === 'table_json') return tableObjects(found, tidy);
  if (output === 'table_array') return tableArray(found, tidy);
  if (attribute === undefined) return tidy(visibleText(found));
  const value = attributeOf(found, attribute);
  return value === undefined ? undefined : tidy(value);
}

/** Undefined for what is no URL that can be followed. */
type Absolute = (href: string) => string | undefined;

/** Attributes of URLs, by the element; of all others `href` or `src`: https://html.spec.whatwg.org/#attributes-3 */
const URL_ATTRIBUTES: Readonly<Record<string, string>> = {
  blockquote: 'cite',
  del: 'cite',
  form: 'action',
  ins: 'cite',
  meta: 'content',
  object: 'data',
  q: 'cite',
};

/** https://html.spec.whatwg.org/#srcset-attributes */
const SETS: readonly string[] = ['srcset', 'imagesrcset'];
const CANDIDATE = /([^\s,]\S*[^\s,]|[^\s,])((?:\s+[\d.]+[wxh])*)/g;

/** The absolute URL that an element leads to, that its attribute holds, or that a text is. */
function urlIn(
  found: Element | string,
  attribute: string | undefined,
  absolute: Absolute,
): string | undefined {
  if (typeof found === 'string') return absolute(found);
  const { name, attribs } = found;
  const own = attribs[attribute ?? URL_ATTRIBUTES[name] ?? 'href'];
  const value = attribute === undefined ? (own ?? attribs['xlink:href'] ?? attribs.src) : own;
  if (value === undefined || !SETS.includes(attribute ?? '')) return value && absolute(value);
  return value.replace(CANDIDATE, (_, url: string, size: string) => `${absolute(url) ?? url}${size}`);
}
