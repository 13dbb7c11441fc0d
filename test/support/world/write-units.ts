type Item = Record<string, unknown>;
export type Index = { name: string; key: [partition: string, sort: string]; holds?: 'keys' };

/**
 * Write units of an item's indexes, by the rules of
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes,
 * for entries of up to 1 KB. The emulator does not count them.
 */
export function indexUnits(
  before: Item | undefined,
  after: Item | undefined,
  indexes: readonly Index[],
): number {
  return indexes.reduce(
    (sum, index) => sum + unitsOf(entryOf(before, index), entryOf(after, index), index),
    0,
  );
}

function unitsOf(before: Item | undefined, after: Item | undefined, { key, holds }: Index): number {
  if (before === undefined || after === undefined) return before === after ? 0 : 1;
  if (key.some((name) => before[name] !== after[name])) return 2;
  return holds === 'keys' || JSON.stringify(sorted(before)) === JSON.stringify(sorted(after)) ? 0 : 1;
}

/** An item without the key of a sparse index is not in it. */
function entryOf(item: Item | undefined, { key }: Index): Item | undefined {
  return item && key.every((name) => item[name] !== undefined) ? item : undefined;
}

function sorted(item: Item): [string, unknown][] {
  return Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1));
}
