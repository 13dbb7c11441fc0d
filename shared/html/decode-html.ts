import { isUtf8 } from 'node:buffer';
import { getEncoding } from 'encoding-sniffer';

/** How far browsers look for a declaration at least, and further while the head goes on. */
const PRESCAN_BYTES = 1_024;
const MAX_HEAD_BYTES = 65_536;
/** No encoding has this name. */
const UNDECLARED = 'undeclared';
const WESTERN = 'windows-1252';
/** More replacement characters than this, in proportion to other characters beyond ASCII: not UTF-8. */
const MANY_FAULTS = 0.3;

/** The text of a page: by its byte order mark, its Content-Type, its `meta`, and what the bytes allow. */
export function decodeHtml(bytes: Uint8Array, contentType = ''): string {
  const marked = byMark(bytes);
  if (marked !== undefined) return decoded(bytes, marked);
  const label = labelIn(contentType) ?? declared(bytes);
  const isUnicode = isUtf8(bytes);
  // UTF-8 that happens to be valid is UTF-8, whatever the page says.
  if (isUnicode && (label === undefined || !isUtf16(label)))
    return decoded(bytes, isSevenBit(label) ? label : 'utf-8');
  const text = decoded(bytes, label ?? WESTERN);
  return label !== undefined && isFaulty(text) ? decoded(bytes, WESTERN) : text;
}

function byMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

const labelIn = (contentType: string) => known(/charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1]);
const isUtf16 = (label: string) => label.startsWith('utf-16');
/** Encodings whose texts are valid UTF-8 and mean something else. */
const isSevenBit = (label: string | undefined): label is string => label === 'iso-2022-jp';

/** https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding */
function declared(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, MAX_HEAD_BYTES));
  const end = head.toString('latin1').search(/<\/head|<body/i);
  const maxBytes = Math.max(PRESCAN_BYTES, end < 0 ? head.byteLength : end);
  const label = known(getEncoding(head, { maxBytes, defaultEncoding: UNDECLARED }));
  // A page that could be read this far is not in UTF-16.
  return label !== undefined && isUtf16(label) ? 'utf-8' : label;
}

function known(label: string | undefined): string | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

const decoded = (bytes: Uint8Array, label: string) => new TextDecoder(label).decode(bytes);

function isFaulty(text: string): boolean {
  const faults = text.match(/\uFFFD/g)?.length ?? 0;
  const others = text.match(/[\u0080-\uffff]/g)?.length ?? 0;
  return faults > others * MANY_FAULTS;
}
