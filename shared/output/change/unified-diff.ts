import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';

/** Myers' algorithm takes the square of the number of edits: about 0.2 s for so many. */
const MAX_EDITS = 1_000;
const TIMEOUT_MS = 1_000;
/** Of both texts. More of them, as strings, would not fit into the memory of the thread. */
const MAX_LINES = 200_000;

/** A unified diff of lines that `patch` applies. Texts that differ too much are replaced from end to end. */
export function unifiedDiff(previous: string, current: string, context: number): string {
  const limits = { maxEditLength: MAX_EDITS, timeout: TIMEOUT_MS };
  const options = { context, headerOptions: FILE_HEADERS_ONLY, ...limits };
  const isShort = linesIn(previous) + linesIn(current) <= MAX_LINES;
  const found =
    isShort && createTwoFilesPatch('previous', 'current', previous, current, undefined, undefined, options);
  return found || replacement(previous, current, context);
}

/** One hunk, from the first line that differs to the last. */
function replacement(previous: string, current: string, context: number): string {
  const start = commonStart(previous, current);
  const end = commonEnd(previous, current, start);
  const head = lastLines(previous.slice(0, start), context);
  const tail = firstLines(previous.slice(previous.length - end), context);
  const [removed, added] = [previous, current].map((text) => text.slice(start, text.length - end));
  const first = linesIn(previous.slice(0, start - head.length)) + 1;
  const range = (changed = '') => {
    const count = linesIn(head) + linesIn(changed) + linesIn(tail);
    // A range of no lines is named by the line before it.
    return `${count === 0 ? first - 1 : first},${count}`;
  };
  const hunk = [marked(' ', head), marked('-', removed), marked('+', added), marked(' ', tail)].join('');
  return `--- previous\n+++ current\n@@ -${range(removed)} +${range(added)} @@\n${hunk}`;
}

const isLineStart = (text: string, at: number) => at === 0 || text.charAt(at - 1) === '\n';

/** Where the first line begins that differs. */
function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  const isBoth = isLineStart(one, at) && (at < one.length || at < other.length);
  return isBoth ? at : one.lastIndexOf('\n', at - 1) + 1;
}

/** The length of the lines at the end that both have. */
function commonEnd(one: string, other: string, start: number): number {
  const most = Math.min(one.length, other.length) - start;
  const isSame = (length: number) =>
    one.charCodeAt(one.length - length) === other.charCodeAt(other.length - length);
  let length = 0;
  while (length < most && isSame(length + 1)) length += 1;
  if (isLineStart(one, one.length - length) && isLineStart(other, other.length - length)) return length;
  const line = one.indexOf('\n', one.length - length);
  return line < 0 || length === 0 ? 0 : one.length - line - 1;
}

function lastLines(text: string, count: number): string {
  let at = text.length;
  for (let left = count; left > 0 && at > 0; left -= 1) at = at < 2 ? 0 : text.lastIndexOf('\n', at - 2) + 1;
  return text.slice(at);
}

function firstLines(text: string, count: number): string {
  let at = 0;
  for (let left = count; left > 0 && at < text.length; left -= 1)
    at = text.indexOf('\n', at) + 1 || text.length;
  return text.slice(0, at);
}

function linesIn(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function marked(sign: string, text = ''): string {
  if (text === '') return '';
  const isEnded = text.endsWith('\n');
  const lines = (isEnded ? text.slice(0, -1) : text).replaceAll('\n', `\n${sign}`);
  return `${sign}${lines}\n${isEnded ? '' : '\\ No newline at end of file\n'}`;
}
