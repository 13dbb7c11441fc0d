import { type LedgerLine, Outcome } from '../../../shared/contract/crawls/crawl.ts';
import type { MemberCall } from '../page-call.ts';
import { outcomeNames, viaNames } from './crawl-words.ts';
import { html, type Html } from '../html.ts';
import { shownUrl } from './paged-list.ts';
import { select } from './select.ts';

export type ShownLedger = {
  lines: readonly LedgerLine[];
  outcome: Outcome | undefined;
  isFirst: boolean;
  /** Where the next page begins. */
  next: number | undefined;
};

/** URLs that have an outcome, in the order in which they got it. */
export function crawlLedger(
  call: MemberCall,
  path: string,
  { lines, outcome, isFirst, next }: ShownLedger,
): Html {
  const to = (from?: number) => {
    const query = new URLSearchParams({
      ...(outcome && { outcome }),
      ...(from !== undefined && { cursor: String(from) }),
    });
    return call.at(`${path}?${query.toString()}#urls`);
  };
  return html`<section class="card" aria-labelledby="urls">
    <h2 id="urls">URLs</h2>
    ${filter(call, path, outcome)}
    ${
      lines.length === 0
        ? html`<p class="empty">
            ${next === undefined ? 'No URL has this outcome yet.' : 'No URL read so far matches.'}
          </p>`
        : html`<ol class="urls">
            ${lines.map(item)}
          </ol>`
    }
    <p class="buttons">
      ${!isFirst && html`<a class="button" href="${to()}">First</a>`}
      ${next !== undefined && html`<a class="button" rel="next" href="${to(next)}">Next</a>`}
    </p>
  </section>`;
}

function filter(call: MemberCall, path: string, outcome: Outcome | undefined): Html {
  const named = Outcome.options.map((value) => ({ value, label: outcomeNames[value] }));
  const options = [{ value: '', label: 'Any' }, ...named];
  return html`<form class="picker" action="${call.at(path)}#urls">
    ${select({ id: 'outcome', name: 'outcome', label: 'Outcome', options, chosen: outcome ?? '' })}
    <button class="primary">Show</button>
  </form>`;
}

function item({ url, outcome, depth, via, ...line }: LedgerLine): Html {
  const why = [
    line.error_code,
    line.target_status !== undefined && `Status ${line.target_status}`,
    line.verdict !== undefined && line.verdict !== 'page' && line.verdict,
    line.same_as !== undefined && `Same as ${shownUrl(line.same_as)}`,
    line.disallowed && 'Disallowed by robots.txt',
  ];
  const found = [viaNames[via], line.found_on !== undefined && shownUrl(line.found_on)]
    .filter(Boolean)
    .join(' ');
  const details = [...why, found, `Depth ${depth}`].filter(Boolean).join(' · ');
  const kind = outcome === 'page' ? 'good' : outcome === 'failed' ? 'bad' : '';
  return html`<li>
    <span class="badge ${kind}">${outcomeNames[outcome]}</span>
    <span class="address">${shownUrl(url)}</span>
    <span class="details">${details}</span>
  </li>`;
}
