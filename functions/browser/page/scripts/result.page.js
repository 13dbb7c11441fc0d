// @ts-check
// Runs in the page's own world, whose scripts may have replaced what writes JSON.

/**
 * Writes what is in the list as JSON, or why the script threw: 1 without a value, 2 if it is no JSON, 3 if it
 * is too large. Strings and numbers alone, as a page decides what an object resolves to.
 * @param {[value: unknown] | [unused: number, error: unknown]} boxed
 * @param {number} maxResult
 * @param {number} maxError
 */
export async function write(boxed, maxResult, maxError) {
  if (boxed.length === 2) return thrown(boxed[1], maxError);
  let value;
  let text;
  try {
    value = await boxed[0];
  } catch (error) {
    return thrown(error, maxError);
  }
  if (typeof value === 'string' && value.length > maxResult) return 3;
  try {
    text = /** @type {unknown} */ (JSON.stringify(value));
  } catch {
    return 2;
  }
  if (text === undefined) return 1;
  if (typeof text !== 'string') return 2;
  return text.length > maxResult + 2 ? 3 : `=${text}`;
}

/** @type {(error: unknown, maxError: number) => string} */
function thrown(error, maxError) {
  try {
    const isObject = typeof error === 'object' && error !== null;
    const words =
      isObject && 'stack' in error && typeof error.stack === 'string'
        ? error.stack
        : `${/** @type {string} */ (error)}`;
    const first = /** @type {unknown} */ (words.slice(0, maxError));
    return typeof first === 'string' && first.length <= maxError ? `!${first}` : '!';
  } catch {
    return '!';
  }
}
