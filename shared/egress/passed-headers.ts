/** Hop-by-hop headers besides `Proxy-*`: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']);
/** Without these a message has another reading, so `Connection` cannot make them hop-by-hop. */
const END_TO_END = new Set(['content-length', 'host']);
/** Node writes only these names; its lenient parser accepts more. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i;
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;

/** Names and values alternate. Chunks override a length: https://www.rfc-editor.org/rfc/rfc9112#section-6.3 */
export function passedHeaders(rawHeaders: readonly string[]): string[] {
  const names = rawHeaders.map((name, index) => (index % 2 === 0 ? name.toLowerCase() : ''));
  const dropped = new Set(names.includes('transfer-encoding') ? ['content-length'] : []);
  names.forEach((name, index) => {
    if (name !== 'connection') return;
    for (const named of listed(rawHeaders[index + 1])) if (!END_TO_END.has(named)) dropped.add(named);
  });
  const passed: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = names[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    if (HOP_BY_HOP.has(name) || name.startsWith('proxy-') || dropped.has(name)) continue;
    if (NAME.test(name) && !FORBIDDEN.test(value)) passed.push(rawHeaders[index] ?? '', value);
  }
  return passed;
}

/** Chrome sends `Connection` directly after `Host`. */
export function withConnection(headers: readonly string[], connection: readonly string[]): string[] {
  const isFirst = headers[0]?.toLowerCase() === 'host';
  return headers.toSpliced(isFirst ? 2 : 0, 0, ...connection);
}

function listed(value = ''): string[] {
  return value.split(',').map((name) => name.trim().toLowerCase());
}
