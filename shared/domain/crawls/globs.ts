/** A glob over path and query: `*` is any text without a `/`, `**` any text. The rest stands for itself. */
type Glob = readonly string[];

/** Whether a URL is wanted: by one of `include`, if there are any, and by none of `exclude`. */
export function globFilter(include: readonly string[], exclude: readonly string[]): (url: URL) => boolean {
  const [wanted, refused] = [include.map(parsed), exclude.map(parsed)];
  return ({ pathname, search }) => {
    const text = pathname + search;
    const isMatch = (glob: Glob) => matches(glob, text);
    return (wanted.length === 0 || wanted.some(isMatch)) && !refused.some(isMatch);
  };
}

/** Wildcards and the text between them. */
const parsed = (glob: string): Glob => glob.split(/(\*+)/).filter(Boolean);

/** Keeps all ends that the parts so far may have, so each part reads the text once, whatever came before. */
function matches(glob: Glob, text: string): boolean {
  const [first = ''] = glob;
  // Most globs begin with a folder, and most URLs are in another.
  if (!first.startsWith('*') && !text.startsWith(first)) return false;
  let ends = new Uint8Array(text.length + 1);
  ends[0] = 1;
  for (const part of glob) {
    const next = new Uint8Array(text.length + 1);
    const isReached = part.startsWith('*')
      ? spread(ends, next, part === '*' && text)
      : step(ends, next, part, text);
    if (!isReached) return false;
    ends = next;
  }
  return ends[text.length] === 1;
}

/** From each end on, until a `/` if there is a text to look for it in. */
function spread(ends: Uint8Array, next: Uint8Array, text: string | false): boolean {
  let isOpen = false;
  for (let at = 0; at < ends.length; at += 1) {
    isOpen = ends[at] === 1 || isOpen;
    if (isOpen) next[at] = 1;
    if (text !== false && text[at] === '/') isOpen = false;
  }
  return true;
}

function step(ends: Uint8Array, next: Uint8Array, part: string, text: string): boolean {
  let isReached = false;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    if (ends[at] !== 1) continue;
    next[at + part.length] = 1;
    isReached = true;
  }
  return isReached;
}
