import { Kind } from '../../../shared/contract/scrape/mode.ts';
import type { UsageView } from '../../../shared/contract/accounts/account-view.ts';
import { count, counted } from './count.ts';
import { html, type Html } from '../html.ts';
import { table } from './table.ts';
import { kindNames } from './words.ts';

type Row = UsageView['data'][number];

type Chart = {
  /** Also the id of its elements. */
  measure: 'credits' | 'scrapes';
  title: string;
  /** From left to right, including days without scrapes. */
  days: readonly string[];
  rows: readonly Row[];
};

/** Of a day, in the units of the picture. */
const [WIDTH, GAP, HEIGHT] = [10, 2, 100];

/** Bars by day, stacked by kind, and the table of the same numbers behind them. */
export function chart(it: Chart): Html {
  const { measure, title, days, rows } = it;
  const kinds = Kind.options.filter((kind) => rows.some((each) => each.kind === kind));
  const top = roundTop(Math.max(...days.map((day) => sum(it, { day }))));
  const half = Number.isInteger(top / 2) ? count(top / 2) : '';
  return html`<figure class="chart">
    <p class="axis" aria-hidden="true">${measure === 'credits' ? 'Credits' : 'Scrapes'}</p>
    <div class="plot">
      <div class="scale" aria-hidden="true"><span>${count(top)}</span><span>${half}</span><span>0</span></div>
      <div class="area">
        <svg
          viewBox="0 0 ${days.length * WIDTH} ${HEIGHT}"
          preserveAspectRatio="none"
          role="img"
          aria-labelledby="${measure}-title ${measure}-desc"
        >
          <title id="${measure}-title">${title}</title>
          <desc id="${measure}-desc">${described(it)}</desc>
          <path class="grid" d="M0 0H${days.length * WIDTH}M0 ${HEIGHT / 2}H${days.length * WIDTH}" />
          ${days.map((day, i) => bar(it, { day, i, top }))}
        </svg>
        ${values(it, kinds)}
      </div>
    </div>
    <div class="ends" aria-hidden="true">${ticks(days).map((day) => html`<span>${day}</span>`)}</div>
    <figcaption class="legend">
      ${kinds.map((kind) => html`<span><span class="swatch kind-${kind}"></span>${kindNames[kind]}</span> `)}
    </figcaption>
    <details>
      <summary>The numbers as a table</summary>
      ${numbers(it, kinds)}
    </details>
  </figure>`;
}

/** Days that the horizontal axis names: the ends and two between, if there are that many. */
function ticks(days: readonly string[]): string[] {
  const last = days.length - 1;
  const at = [0, Math.round(last / 3), Math.round((2 * last) / 3), last];
  return [...new Set(at)].map((index) => days[index] ?? '');
}

/** A day's values, on hover and focus. Radio buttons, so that Tab stops once and arrows change the day. */
function values(it: Chart, kinds: readonly Kind[]): Html {
  const value = (day: string) => {
    const parts = kinds.map((kind) => [kind, sum(it, { day, kind })] as const).filter(([, part]) => part > 0);
    const named = parts.map(([kind, part]) => `${kindNames[kind]} ${count(part)}`).join(', ');
    const total = counted(sum(it, { day }), it.measure.slice(0, -1));
    return `${day}: ${total}${parts.length > 1 ? ` (${named})` : ''}`;
  };
  return html`<fieldset class="days">
    <legend>${it.title}: the values of a day</legend>
    ${it.days.map((day) => html`<label><input type="radio" name="${it.measure}-day" /><span>${value(day)}</span></label>`)}
  </fieldset>`;
}

function bar(it: Chart, { day, i, top }: { day: string; i: number; top: number }): Html | '' {
  const total = sum(it, { day });
  if (total === 0) return '';
  let y = HEIGHT;
  const parts = Kind.options.map((kind) => {
    const height = (HEIGHT * sum(it, { day, kind })) / top;
    y -= height;
    return height > 0
      ? html`<rect
          class="kind-${kind}"
          x="${i * WIDTH + GAP / 2}"
          y="${short(y)}"
          width="${WIDTH - GAP}"
          height="${short(height)}"
        />`
      : '';
  });
  return html`<g><title>${day}: ${counted(total, it.measure.slice(0, -1))}</title>${parts}</g>`;
}

function numbers(it: Chart, kinds: readonly Kind[]): Html {
  const rows = it.days
    .filter((day) => sum(it, { day }) > 0 || it.rows.some((each) => each.day === day))
    .map((day) => [day, ...kinds.map((kind) => count(sum(it, { day, kind }))), count(sum(it, { day }))]);
  return table({
    caption: it.title,
    head: ['Day', ...kinds.map((kind) => kindNames[kind]), 'All'],
    rows,
    foot: ['All', ...kinds.map((kind) => count(sum(it, { kind }))), count(sum(it, {}))],
  });
}

function described(it: Chart): string {
  const most = it.days.toSorted((a, b) => sum(it, { day: b }) - sum(it, { day: a }))[0] ?? '';
  const unit = it.measure.slice(0, -1);
  return `${counted(sum(it, {}), unit)} in all, the most on ${most}: ${count(sum(it, { day: most }))}. The table below has every day.`;
}

function sum({ rows, measure }: Chart, wanted: { day?: string; kind?: Kind }): number {
  return rows
    .filter(({ day, kind }) => day === (wanted.day ?? day) && kind === (wanted.kind ?? kind))
    .reduce((total, each) => total + each[measure], 0);
}

/** The next round number. */
function roundTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return [1, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((top) => top >= most) ?? most;
}

const short = (value: number) => Math.round(value * 100) / 100;
