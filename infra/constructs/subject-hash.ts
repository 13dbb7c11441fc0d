import { createHash, X509Certificate } from 'node:crypto';

/** As `openssl x509 -subject_hash`: the first bytes of a digest of the canonical subject. */
export function subjectHash(pem: string): string {
  const [certificate] = elements(new X509Certificate(pem).raw);
  const [signed] = elements(certificate?.content);
  const fields = elements(signed?.content);
  // The version, which has its own tag, is optional: https://www.rfc-editor.org/rfc/rfc5280#section-4.1
  const subject = fields[fields[0]?.tag === CONTEXT_0 ? 5 : 4];
  const canonical = Buffer.concat(elements(subject?.content).map((part) => canonicalPart(part)));
  return createHash('sha1').update(canonical).digest().readUInt32LE().toString(16).padStart(8, '0');
}

const CONTEXT_0 = 0xa0;
const SEQUENCE = 0x30;
const SET = 0x31;
const UTF8 = 0x0c;
const BMP = 0x1e;
/** Strings of one byte a character: Printable, T61, IA5 and Visible. */
const LATIN = [0x13, 0x14, 0x16, 0x1a];

function canonicalPart({ content }: Element): Buffer {
  const pairs = elements(content).map(({ content: pair }) => {
    const [type, value] = elements(pair);
    return encode(SEQUENCE, Buffer.concat([type?.whole ?? Buffer.of(), canonicalValue(value)]));
  });
  return encode(SET, Buffer.concat(pairs.toSorted((a, b) => a.compare(b))));
}

/** Text as UTF-8 in lower case with single spaces; other values unchanged. */
function canonicalValue(value: Element | undefined): Buffer {
  if (!value) return Buffer.of();
  const text = textOf(value);
  if (text === undefined) return value.whole;
  const folded = text.replace(/^[ \t-\r]+|[ \t-\r]+$/g, '').replace(/[ \t-\r]+/g, ' ');
  const lower = folded.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return encode(UTF8, Buffer.from(lower));
}

function textOf({ tag, content }: Element): string | undefined {
  if (tag === UTF8) return content.toString('utf8');
  if (tag === BMP) return Buffer.from(content).swap16().toString('utf16le');
  return LATIN.includes(tag) ? content.toString('latin1') : undefined;
}

type Element = { tag: number; whole: Buffer; content: Buffer };

/** Consecutive DER elements: https://www.itu.int/rec/T-REC-X.690 */
function elements(bytes: Buffer = Buffer.of()): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const short = bytes.readUInt8(at + 1);
    const lengthBytes = short < 0x80 ? 0 : short & 0x7f;
    const start = at + 2 + lengthBytes;
    const end = start + (lengthBytes === 0 ? short : bytes.readUIntBE(at + 2, lengthBytes));
    found.push({
      tag: bytes.readUInt8(at),
      whole: bytes.subarray(at, end),
      content: bytes.subarray(start, end),
    });
    at = end;
  }
  return found;
}

function encode(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
