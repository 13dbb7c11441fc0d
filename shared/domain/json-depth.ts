/**
 * Whether a JSON value has lists and objects nested more than `levels` deep. Writers and clones of JSON
 * recurse, so a value that is deep enough ends them; this does not recurse.
 */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let here = [value];
  for (let level = 0; here.length > 0; level++) {
    const nodes = here.filter((each) => typeof each === 'object' && each !== null);
    if (level >= levels && nodes.length > 0) return true;
    here = nodes.flatMap((node) => Object.values(node) as unknown[]);
  }
  return false;
}
