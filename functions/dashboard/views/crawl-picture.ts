import { Outcome } from '../../../shared/contract/crawls/crawl.ts';
import type { CrawlCounts } from '../../../shared/contract/crawls/crawl-view.ts';
import type { MemberCall } from '../page-call.ts';
import { count, counted, share } from './count.ts';
import { outcomeNames } from './crawl-words.ts';
import { html, type Html } from '../html.ts';
import { table } from './table.ts';

type Name = Exclude<keyof CrawlCounts, 'discovered'>;

/** Parts of the bar, from left to right. */
const PARTS: readonly { name: string; style: string; of: readonly Name[] }[] = [
  { name: 'Pages', style: 'pages', of: ['page'] },
  { name: 'Same as others, or unchanged', style: 'same', of: ['duplicate', 'unchanged'] },
  {
    name: 'Left out',
    style: 'left-out',
    of: ['robots', 'content_use', 'excluded', 'out_of_scope', 'depth', 'too_long', 'trap'],
  },
  { name: 'Not reached', style: 'unreached', of: ['limit', 'budget', 'deadline', 'cancelled'] },
  { name: 'Failed', style: 'failed', of: ['failed'] },
  { name: 'In progress and waiting', style: 'open', of: ['running', 'pending'] },
];

const [WIDTH, HEIGHT] = [1_000, 10];

/** A bar of all URLs of a crawl by their outcome, and the numbers that it shows. */
export function crawlPicture(call: MemberCall, path: string, counts: CrawlCounts): Html {
  const parts = PARTS.map((part) => ({
    ...part,
    urls: part.of.reduce((sum, name) => sum + counts[name], 0),
  }));
  const shown = parts.filter(({ urls }) => urls > 0);
  const described = shown.map(({ name, urls }) => `${name}: ${count(urls)}`).join('; ');
  return html`<figure class="chart">
    <svg
      class="bar"
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-labelledby="outcomes-title outcomes-desc"
    >
      <title id="outcomes-title">What became of ${counted(counts.discovered, 'URL')}</title>
      <desc id="outcomes-desc">${described}. The table below has every outcome.</desc>
      ${bars(shown, counts.discovered)}
    </svg>
    <figcaption class="legend">
      ${shown.map(({ name, style, urls }) => html`<span><span class="swatch part-${style}"></span>${name} ${count(urls)}</span> `)}
    </figcaption>
    ${numbers(call, path, counts)}
  </figure>`;
}

function bars(parts: readonly { style: string; urls: number }[], all: number): Html[] {
  let x = 0;
  return parts.map(({ style, urls }) => {
    const width = (WIDTH * urls) / all;
    const bar = html`<rect
      class="part-${style}"
      x="${short(x)}"
      width="${short(width)}"
      height="${HEIGHT}"
    />`;
    x += width;
    return bar;
  });
}

const short = (value: number) => Math.round(value * 100) / 100;

/** Each outcome leads to its URLs. */
function numbers(call: MemberCall, path: string, counts: CrawlCounts): Html {
  const outcomes = Outcome.options.filter((outcome) => counts[outcome] > 0);
  const row = (name: string | Html, urls: number) => [name, count(urls), share(urls, counts.discovered)];
  const link = (outcome: Outcome) =>
    html`<a href="${call.at(`${path}?outcome=${outcome}#urls`)}">${outcomeNames[outcome]}</a>`;
  const open = (['running', 'pending'] as const).filter((name) => counts[name] > 0);
  return table({
    caption: 'URLs by outcome',
    head: ['Outcome', 'URLs', 'Share'],
    rows: [
      ...outcomes.map((outcome) => row(link(outcome), counts[outcome])),
      ...open.map((name) => row(name === 'running' ? 'In progress' : 'Waiting', counts[name])),
    ],
    foot: row('Discovered', counts.discovered),
  });
}
