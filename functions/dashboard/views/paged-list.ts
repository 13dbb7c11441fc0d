import type { MemberCall } from '../page-call.ts';
import { html, type Html } from '../html.ts';
import { type Column, listTable } from './list-table.ts';

/** Longer URLs are cut in lists, and whole on their own page. */
const SHOWN_CHARACTERS = 90;

type PagedList = {
  /** The path of the page, for its other pages. */
  path: string;
  columns: readonly Column[];
  rows: readonly (readonly (string | Html)[])[];
  /** Of the next page. */
  cursor: string | undefined;
  /** Query parameters that choose what is listed. */
  filters: readonly string[];
  /** What one of them is called. */
  name: string;
  /** Shown if there is nothing, and nothing was filtered out. */
  none: string;
  /** What its colours mean. */
  legend?: Html;
};

/** A page of a list, with links to the newest and to older pages. */
export function pagedList(
  call: MemberCall,
  { path, columns, rows, cursor, filters, name, none, legend }: PagedList,
): Html {
  const chosen = chosenIn(call);
  const isFiltered = filters.some((filter) => filter in chosen);
  const empty = cursor
    ? `No ${name} read so far matches. Look at older ones.`
    : isFiltered
      ? `No ${name} matches.`
      : none;
  const older = new URLSearchParams();
  for (const filter of filters) if (chosen[filter]?.[0]) older.set(filter, chosen[filter][0]);
  older.set('cursor', cursor ?? '');
  return html`${
      rows.length === 0
        ? html`<p class="empty">${empty}</p>`
        : html`${listTable({ caption: `One line for each ${name}, newest first`, columns, rows })} ${legend}`
    }
    <p class="buttons">
      ${chosen['cursor'] && html`<a class="button" href="${call.at(path)}">Newest</a>`}
      ${cursor && html`<a class="button" rel="next" href="${call.at(path)}?${older.toString()}">Older</a>`}
    </p>`;
}

export function shownUrl(url: string): string {
  const text = url.replace(/^https?:\/\//, '');
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

/** The filters in the query. Browsers also send empty fields. */
export function chosenIn({ query }: Pick<MemberCall, 'query'>): Record<string, readonly string[]> {
  const chosen = Object.entries(query).filter(([, values = []]) => values.some((each) => each.trim() !== ''));
  return Object.fromEntries(chosen.map(([name, values = []]) => [name, values.map((each) => each.trim())]));
}
