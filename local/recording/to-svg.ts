import type { Line } from './record-session.ts';

const COLUMNS = 104;
const ROWS = 28;
const CHARACTER = 7.83;
const LINE = 18;
const MARGIN = 16;
const TYPED_PER_SECOND = 60;
const LONGEST_GAP_MS = 900;
const LAST_FRAME_MS = 5_000;

const WIDTH = Math.round(COLUMNS * CHARACTER + 2 * MARGIN);
const HEIGHT = ROWS * LINE + 2 * MARGIN;

const STYLE = `
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #c9d1d9; white-space: pre }
  .command { fill: #f0f6fc; font-weight: 600 }
  .note { fill: #8b949e }
  .output, .command, .note, .cover, .screen { animation-duration: var(--all); animation-iteration-count: infinite }
  .screen { animation-timing-function: step-end }
  .cover { fill: #0d1117 }
  @media (prefers-reduced-motion: reduce) { * { animation: none !important } }`;

type Row = { text: string; kind: Line['kind']; from: number; to: number };

/** A terminal as an animated SVG. Long waits are shortened; without animation it shows the last frame. */
export function toSvg(lines: readonly Line[]): string {
  const rows = timed(lines.flatMap(wrapped));
  const all = (rows.at(-1)?.to ?? 0) + LAST_FRAME_MS;
  const percent = (ms: number) => `${((100 * ms) / all).toFixed(2)}%`;
  const scrolled = Math.max(0, rows.length - ROWS);
  const steps = rows.map(({ from }, index) => {
    const up = Math.max(0, index + 1 - ROWS) * LINE;
    return `${percent(from)} { transform: translateY(-${String(up)}px) }`;
  });
  const keyframes = rows.map((row, index) => keyframesOf(row, index, percent)).join('\n  ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" width="${String(WIDTH)}" role="img">
<title>The first minute with Sitefetch, recorded in a terminal</title>
<style>
  svg { --all: ${String(Math.round(all))}ms }${STYLE}
  .screen { transform: translateY(-${String(scrolled * LINE)}px); animation-name: scroll }
  @keyframes scroll { 0% { transform: translateY(0) } ${steps.join(' ')} }
  ${keyframes}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<svg x="${String(MARGIN)}" y="${String(MARGIN)}" width="${String(WIDTH - 2 * MARGIN)}" height="${String(ROWS * LINE)}">
<g class="screen">
${rows.map(element).join('\n')}
</g>
</svg>
</svg>
`;
}

/** Breaks a line at the terminal's width, as a terminal does. */
function wrapped({ at, text, kind }: Line): Line[] {
  const shown = kind === 'command' ? `$ ${text}` : text;
  const parts = shown.match(new RegExp(`.{1,${String(COLUMNS)}}`, 'gs')) ?? [''];
  return parts.map((part) => ({ at, kind, text: part }));
}

/** Replaces the recorded times: commands take time to type, and long waits are cut. */
function timed(lines: readonly Line[]): Row[] {
  let clock = 0;
  return lines.map(({ at, text, kind }, index) => {
    const gap = at - (lines[index - 1]?.at ?? at);
    clock += Math.min(gap, LONGEST_GAP_MS);
    const from = clock;
    if (kind !== 'output') clock += (1_000 * text.length) / TYPED_PER_SECOND;
    return { text, kind, from, to: clock };
  });
}

function keyframesOf({ kind, text, from, to }: Row, index: number, percent: (ms: number) => string): string {
  const name = String(index);
  const shown = `@keyframes l${name} { 0% { opacity: 0; animation-timing-function: step-end } ${percent(from)} { opacity: 1 } }`;
  if (kind === 'output') return shown;
  const pace = `animation-timing-function: steps(${String(Math.max(1, text.length))})`;
  const end = `transform: translateX(${String(WIDTH)}px)`;
  return `${shown} @keyframes c${name} { 0%, ${percent(from)} { transform: none; ${pace} } ${percent(to)}, 100% { ${end} } }`;
}

function element({ text, kind }: Row, index: number): string {
  const y = index * LINE;
  const name = String(index);
  const drawn = `<text class="${kind}" style="animation-name: l${name}" y="${String(y + 13)}" textLength="${String(text.length * CHARACTER)}">${escaped(text)}</text>`;
  if (text === '') return '';
  if (kind === 'output') return drawn;
  const cover = `<rect class="cover" style="animation-name: c${name}; transform: translateX(${String(WIDTH)}px)" y="${String(y)}" width="${String(WIDTH)}" height="${String(LINE)}"/>`;
  return drawn + cover;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
