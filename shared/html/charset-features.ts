/** What counts, as in Chromium's detector: https://github.com/google/compact_enc_det */
const MAX_PAIRS = 48;
const MAX_PAIRS_IN_TAGS = 12;
/** Words in attributes and titles are often in English while the text is not. */
const WEIGHT_IN_TAGS = 1 / 16;
const MAX_BYTES = 1_000_000;
const MAX_SCAN_BACK = 192;
const BLOCK_BYTES = 32;

const ASCII_BYTES = 0x80;
const SPACE = 0x20;
const LESS = 0x3c;
const GREATER = 0x3e;

/** Where each kind of feature begins. Trigrams are shared by the charsets of a group. */
const SECOND = 256;
const NIBBLES = 512;
const SHAPE = 768;
const CONSECUTIVE = 776;
const FEW = 777;
const RANGE = 784;
const PAIR = 792;
const PAIR_BUCKETS = 2_048;
export const TRIGRAM = PAIR + PAIR_BUCKETS;
export const FEATURES = TRIGRAM + 32 ** 3;
const TRIGRAM_WEIGHT = 0.25;

/** A byte beyond ASCII, what follows it, where it stands, and how much it counts. */
type Pair = { first: number; second: number; at: number; weight: number };

/** Calls `add` with each feature of the bytes and its weight. */
export function eachFeature(bytes: Uint8Array, add: (feature: number, weight: number) => void): void {
  const ranges = new Set<number>();
  const recent = [0, 0, 0, 0];
  let [used, blocksUntil, next, wasHigh] = [0, 0, 0, false];
  for (const { first, second, at, weight } of pairsOf(bytes)) {
    const isHigh = first >= 0xc0 && (second & 0xc0) === 0xc0;
    const isConsecutive = at === next && (isHigh || wasHigh);
    [next, wasHigh] = [at + 2, isHigh];
    ranges.add(first >> 5);
    const pair = (first << 8) | second;
    if (recent.includes(pair)) continue;
    recent[used % recent.length] = pair;
    used += 1;
    add(first ^ (second & ASCII_BYTES), weight);
    add(SECOND + second, weight);
    add(NIBBLES + ((first & 0xf0) | (second >> 4)), weight);
    add(SHAPE + shapeAt(bytes, at), weight);
    if (isConsecutive) add(CONSECUTIVE, weight);
    add(PAIR + ((Math.imul(pair, 2_654_435_761) >>> 8) % PAIR_BUCKETS), weight);
    const block = at & ~(BLOCK_BYTES - 1);
    if (block < blocksUntil) continue;
    blocksUntil = block + BLOCK_BYTES;
    eachTrigram(bytes, block, (trigram) => add(TRIGRAM + trigram, TRIGRAM_WEIGHT));
  }
  add(FEW + Math.min(used, 6), 1);
  for (const range of ranges) add(RANGE + range, 1);
}

/** Which of the bytes around are beyond ASCII. */
function shapeAt(bytes: Uint8Array, at: number): number {
  const isBeyond = (offset: number) => ((bytes[at + offset] ?? 0) >= ASCII_BYTES ? 1 : 0);
  return (isBeyond(-1) << 2) | (isBeyond(1) << 1) | isBeyond(2);
}

function eachTrigram(bytes: Uint8Array, block: number, add: (trigram: number) => void): void {
  const end = Math.min(block + BLOCK_BYTES, bytes.length - 2);
  for (let at = block; at < end; at += 1) {
    const trigram = letter(bytes[at]) * 1_024 + letter(bytes[at + 1]) * 32 + letter(bytes[at + 2]);
    if (trigram > 0) add(trigram);
  }
}

/** Five bits: the letters without case, and what letters beyond ASCII are in most European charsets. */
const letters = Uint8Array.from({ length: 256 }, (_, byte) => {
  const name = String.fromCharCode(byte | SPACE);
  if (byte < ASCII_BYTES) return /[a-z]/.test(name) ? (byte & 0x1f) % 27 : 0;
  const vowel = byte < 0xc0 ? -1 : 'aaaaa...eeeeiii....ooooo.uuuu...'.charCodeAt(byte & 0x1f);
  return [0x61, 0x65, 0x69, 0x6f, 0x75].indexOf(vowel) + 27;
});
const letter = (byte = SPACE) => letters[byte] ?? 0;

function pairsOf(bytes: Uint8Array): Pair[] {
  const pairs: Pair[] = [];
  const end = Math.min(bytes.length, MAX_BYTES);
  let inTags = 0;
  for (let at = 0; at < end && pairs.length < MAX_PAIRS; at += 1) {
    const first = bytes[at] ?? 0;
    if (first < ASCII_BYTES) continue;
    const isInTag = inTag(bytes, at);
    if (isInTag) inTags += 1;
    if (isInTag && inTags > MAX_PAIRS_IN_TAGS) at = endOfTag(bytes, at);
    else pairs.push({ first, second: bytes[at + 1] ?? SPACE, at, weight: isInTag ? WEIGHT_IN_TAGS : 1 });
    if (pairs.at(-1)?.at === at) at += 1;
  }
  return pairs;
}

/** Whether the byte is in a tag, a title or the beginning of a script. */
function inTag(bytes: Uint8Array, at: number): boolean {
  const from = Math.max(0, at - MAX_SCAN_BACK);
  for (let back = at - 1; back >= from; back -= 1) {
    if (bytes[back] === LESS) return true;
    if (bytes[back] !== GREATER) continue;
    return /<title|script/i.test(String.fromCharCode(...bytes.subarray(Math.max(0, back - 6), back)));
  }
  return false;
}

function endOfTag(bytes: Uint8Array, at: number): number {
  let end = at + 1;
  while (end < bytes.length && bytes[end] !== LESS && bytes[end] !== GREATER) end += 1;
  return end;
}
