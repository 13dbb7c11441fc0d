/** Whether a URL matches: `*` stands for any text, and a pattern without one may be any part of the URL. */
export function matchesGlob(url: string, pattern: string): boolean {
  if (!pattern.includes('*')) return url.includes(pattern);
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop() ?? '';
  if (!url.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = url.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return url.length - last.length >= at && url.endsWith(last);
}
