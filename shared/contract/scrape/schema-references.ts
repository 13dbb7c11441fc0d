type Path = readonly (string | number)[];

/** A JSON pointer: https://www.rfc-editor.org/rfc/rfc6901 */
export const locationOf = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Where schemas lead back to themselves for the same value: the path of one of them. */
export function circleIn(
  nodes: ReadonlyMap<string, { path: Path; besides: readonly string[] }>,
): Path | undefined {
  const done = new Set<string>();
  for (const start of nodes.keys()) {
    const trail = [{ at: start, next: 0 }];
    const open = new Set([start]);
    for (let last = trail.at(-1); last; last = trail.at(-1)) {
      const to = done.has(last.at) ? undefined : nodes.get(last.at)?.besides[last.next++];
      if (to === undefined) {
        trail.pop();
        open.delete(last.at);
        done.add(last.at);
      } else if (open.has(to)) {
        return nodes.get(last.at)?.path;
      } else if (!done.has(to)) {
        trail.push({ at: to, next: 0 });
        open.add(to);
      }
    }
  }
  return undefined;
}
