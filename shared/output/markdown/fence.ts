/** What opened the block of code that a line is in. */
export type Fence = string | undefined;

/** As much of a line as tells whether it is a fence. */
export const HEAD_CHARS = 1_000;

/** In quotes, in items of lists and in footnotes. https://spec.commonmark.org/0.31.2/#fenced-code-blocks */
const OPENING =
  /^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]|\[\^[^\]\s]{1,99}\]:[ \t])*(?:(`{3,})[^`]*|(~{3,}).*)$/;
const CLOSING = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/;

/** The fence that holds after a line, given the one before it. */
export function fenceAfter(fence: Fence, line: string): Fence {
  if (fence === undefined) {
    const [, backticks, tildes] = OPENING.exec(line) ?? [];
    return backticks ?? tildes;
  }
  const [, closing = ''] = CLOSING.exec(line) ?? [];
  return closing.startsWith(fence) ? undefined : fence;
}
