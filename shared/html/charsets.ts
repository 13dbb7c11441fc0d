/** https://encoding.spec.whatwg.org/#names-and-labels: encodings that are of use to attackers alone. */
const REPLACED = /^(?:replacement|csiso2022kr|hz-gb-2312|iso-2022-(?:cn|cn-ext|kr))$/;
export const REPLACEMENT = 'replacement';
const LATIN10 = 'iso-8859-16';
const USER_DEFINED = 'x-user-defined';
const KOREAN = 'euc-kr';

/** The upper half of the encodings that Node.js lacks. */
const UPPER_HALVES: Record<string, string> = {
  [LATIN10]:
    '\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f' +
    '\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f' +
    '\u00a0ĄąŁ€„Š§š©Ș«Ź\u00adźŻ°±ČłŽ”¶·žčș»ŒœŸż' +
    'ÀÁÂĂÄĆÆÇÈÉÊËÌÍÎÏĐŃÒÓÔŐÖŚŰÙÚÛÜĘȚßàáâăäćæçèéêëìíîïđńòóôőöśűùúûüęțÿ',
  [USER_DEFINED]: String.fromCharCode(...Array.from({ length: 128 }, (_, index) => 0xf780 + index)),
};

/** The encoding of a label, or undefined if browsers do not know it. */
export function charsetOf(label: string): string | undefined {
  const name = label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '').toLowerCase();
  if (REPLACED.test(name)) return REPLACEMENT;
  if (name in UPPER_HALVES) return name;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

/** The text of bytes in an encoding, without a byte order mark. */
export function textIn(bytes: Uint8Array, charset: string): string {
  if (charset === REPLACEMENT) return bytes.byteLength > 0 ? '\ufffd' : '';
  const upperHalf = UPPER_HALVES[charset];
  if (charset === KOREAN) return textInKorean(bytes);
  if (upperHalf === undefined) return new TextDecoder(charset).decode(bytes);
  const text = Buffer.from(bytes).toString('latin1');
  return text.replace(/[\x80-\xff]/g, (character) => upperHalf[character.charCodeAt(0) - 0x80] ?? '');
}

/** Browsers read EUC-KR as its superset, windows-949, whose 8,822 further syllables Node.js lacks. */
function textInKorean(bytes: Uint8Array): string {
  const further = (furtherSyllables ??= syllablesOfWindows());
  const decoder = new TextDecoder(KOREAN);
  let [text, start] = ['', 0];
  for (let at = 0; at < bytes.length - 1; at += 1) {
    const [lead = 0, trail = 0] = [bytes[at], bytes[at + 1]];
    if (lead < 0x81) continue;
    const syllable = further.get((lead << 8) | trail);
    if (syllable !== undefined) {
      text += decoder.decode(bytes.subarray(start, at)) + syllable;
      start = at + 2;
    }
    if (syllable !== undefined || trail >= 0x80) at += 1;
  }
  return text + decoder.decode(bytes.subarray(start));
}

let furtherSyllables: Map<number, string> | undefined;

/** They fill the unused pairs in the order of Unicode: https://encoding.spec.whatwg.org/#index-euc-kr */
function syllablesOfWindows(): Map<number, string> {
  const rows = Array.from({ length: 94 }, (_, row) => 0xa1 + row);
  const known = new TextDecoder(KOREAN).decode(
    Uint8Array.from(rows.flatMap((lead) => rows.flatMap((trail) => [lead, trail]))),
  );
  const taken = new Set(known);
  const pairs = unusedPairs();
  const syllables = new Map([
    [0xa2e6, '€'],
    [0xa2e7, '®'],
  ]);
  for (let code = 0xac00; code <= 0xd7a3; code += 1) {
    const syllable = String.fromCharCode(code);
    if (!taken.has(syllable)) syllables.set(pairs.next().value ?? 0, syllable);
  }
  return syllables;
}

function* unusedPairs(): Generator<number, undefined> {
  for (let lead = 0x81; lead <= 0xc6; lead += 1)
    for (let trail = 0x41; trail <= (lead < 0xa1 ? 0xfe : 0xa0); trail += 1)
      if (trail <= 0x5a || (trail >= 0x61 && trail <= 0x7a) || trail >= 0x81) yield (lead << 8) | trail;
}
