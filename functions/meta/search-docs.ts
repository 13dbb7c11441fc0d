import { html } from 'hono/html';
import MiniSearch, { type AsPlainObject, type Options, type SearchResult } from 'minisearch';
import type { Call } from '../../shared/http/call.ts';
import type { Reply } from '../../shared/http/reply.ts';
import { documentReply, prefersMarkdown, readDocs } from './docs-reply.ts';

type Found = Pick<SearchResult, 'id'> & { page: string; heading: string; excerpt: string };

const MAX_RESULTS = 20;
/** Of a word's length, the part that may be misspelt. */
const FUZZINESS = 0.2;
/** Shorter words begin too many others. */
const LONG = 3;
const MAX_WORDS = 8;

/** Read at the first search: most instances never search. */
let reading: Promise<MiniSearch> | undefined;

/** The sections of the documentation that have the words, best first. */
export async function searchDocs(words: string, headers: Call['headers']): Promise<Reply> {
  const index = await (reading ??= readIndex().catch(forget));
  const found = search(index, words) as unknown as Found[];
  if (prefersMarkdown(headers)) return documentReply(headers, 'text/markdown', listed(words, found));
  const frame = await readDocs('search.html');
  const results = (await resultsPage(words, found)).toString();
  return documentReply(
    headers,
    'text/html',
    frame.replace('<!--results-->', () => results),
  );
}

/** The next search reads it again. */
function forget(error: unknown): never {
  reading = undefined;
  throw error;
}

async function readIndex(): Promise<MiniSearch> {
  const { options, index } = JSON.parse(await readDocs('search.json')) as {
    options: Options;
    index: AsPlainObject;
  };
  return MiniSearch.loadJS(index, options);
}

function search(index: MiniSearch, typed: string): SearchResult[] {
  const words = typed.trim().split(/\s+/).slice(0, MAX_WORDS).join(' ');
  const options = {
    prefix: (word: string) => word.length >= LONG,
    fuzzy: (word: string) => (word.length > LONG ? FUZZINESS : false),
    boost: { page: 2, heading: 3 },
    processTerm: stem,
  };
  const withAll = index.search(words, { ...options, combineWith: 'AND' });
  return (withAll.length > 0 ? withAll : index.search(words, options)).slice(0, MAX_RESULTS);
}

/** The part of a word before its ending, by which `retries` finds `retry` and `retried`. */
const stem = (word: string) => word.toLowerCase().replace(/(?<=\w{3})(?:ies|ied|ing|es|ed|y|s|e)$/, '');

const titleOf = ({ page, heading }: Found) => (heading === '' ? page : `${page}: ${heading}`);

function listed(words: string, found: readonly Found[]): string {
  const links = found.map((each) => {
    const path = String(each.id).replace(/(#|$)/, '.md$1');
    return `- [${titleOf(each)}](${path}): ${each.excerpt}`;
  });
  return `# Search: ${words.replace(/\s+/g, ' ')}\n\n${links.length > 0 ? links.join('\n') : 'Nothing found.'}\n`;
}

function resultsPage(words: string, found: readonly Found[]) {
  const entries = found.map(
    (each) =>
      html`<li>
        <a href="${each.id}">${titleOf(each)}</a>
        <p>${each.excerpt}</p>
      </li>`,
  );
  const none = words.trim() === '' ? '' : html`<p>Nothing found. The contents list all pages.</p>`;
  return html`<form class="search" role="search" aria-label="All pages" action="search">
      <input type="search" name="q" aria-label="Words" value="${words}" maxlength="200" autofocus />
      <button type="submit">Search</button>
    </form>
    ${
      entries.length > 0
        ? html`<ol class="results">
            ${entries}
          </ol>`
        : none
    }`;
}
