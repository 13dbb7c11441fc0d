import iconv from 'iconv-lite';
import { textIn } from '../../../shared/html/charsets.ts';
import LANGUAGES from '../../fixtures/undeclared-texts.json' with { type: 'json' };

/** `isHeldOut`: the detector was not trained on its text. */
export type Document = {
  language: string;
  charset: string;
  shape: string;
  isHeldOut: boolean;
  bytes: Buffer;
};

const ICONV_NAMES: Record<string, string> = { ibm866: 'cp866', 'x-mac-cyrillic': 'maccyrillic' };
const PLAIN: Record<string, string> = { '’': "'", '“': '"', '”': '"', '…': '...', '—': '-', '–': '-' };
const SHORT_WORDS = 6;
const SHORT_CHARACTERS = 24;

const NAVIGATION =
  '<nav><a href="/">Home</a> <a href="/about-us">About us</a> <a href="/contact">Contact</a> <a href="/privacy">Privacy policy</a></nav>';

/** How a text stands in a page. */
export const SHAPES: Record<string, (text: string, lang: string) => string> = {
  paragraph: (text) => `<p>${text}</p>`,
  short: (text) => `<p>${beginningOf(text)}</p>`,
  page: (text) =>
    `<!DOCTYPE html><html><head><title>${beginningOf(text)}</title><link rel="stylesheet" href="/style.css"></head><body>${NAVIGATION}<h1>${beginningOf(text)}</h1><p>${text}</p><footer>Copyright 2024. All rights reserved.</footer></body></html>`,
  title: (text) =>
    `<!DOCTYPE html><html><head><title>${beginningOf(text)}</title></head><body>${NAVIGATION}<p>Welcome to our website.</p></body></html>`,
  attributes: (text, lang) =>
    `<!DOCTYPE html><html lang="${lang}"><body><img src="a.png" alt="${beginningOf(text)}"><p>${text}</p></body></html>`,
};

/** Each language in each of its charsets and each shape, without a declaration. */
export function documents(): Document[] {
  return LANGUAGES.flatMap(({ name, charsets, trained, heldOut }) =>
    `${charsets} utf-8 utf-16le`.split(' ').flatMap((charset) =>
      Object.entries(SHAPES).flatMap(([shape, write]) =>
        [trained, heldOut].map((text, index) => ({
          ...{ language: name, charset, shape, isHeldOut: index === 1 },
          bytes: encode(write(text, name.slice(0, 2).toLowerCase()), charset),
        })),
      ),
    ),
  );
}

/** What the charset lacks is written plainly or left out. */
export function encode(text: string, charset: string): Buffer {
  if (charset === 'iso-2022-jp') return sevenBit(encode(text, 'euc-jp'));
  return Buffer.concat(Array.from(text).map((character) => encoded(character, charset)));
}

const known = new Map<string, Buffer>();

function encoded(character: string, charset: string): Buffer {
  const key = charset + character;
  const bytes =
    known.get(key) ?? firstWhole([character, PLAIN[character] ?? '', vietnamese(character)], charset);
  known.set(key, bytes);
  return bytes;
}

/** The first that the charset has. */
function firstWhole(candidates: readonly string[], charset: string): Buffer {
  const name = ICONV_NAMES[charset] ?? charset;
  const whole = candidates.find(
    (each) => each !== '' && iconv.decode(iconv.encode(each, name), name) === each,
  );
  return iconv.encode(whole ?? '', name);
}

/** With the tone as a combining mark, as windows-1258 has it. */
const vietnamese = (character: string) =>
  character
    .normalize('NFD')
    .replace(/^(.)(\p{M}*?)([\u0302\u0306\u031b])/u, (_, base: string, tones: string, mark: string) => {
      return (base + mark).normalize('NFC') + tones;
    });

/** JIS X 0208 between escapes: the bytes of EUC-JP without their high bits. */
function sevenBit(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  return Buffer.from(
    text.replace(/[\x80-\xff]+/g, (run) => {
      const jis = Buffer.from(run, 'latin1').map((byte) => byte & 0x7f);
      return `\x1b$B${Buffer.from(jis).toString('latin1')}\x1b(B`;
    }),
    'latin1',
  );
}

const beginningOf = (text: string) => {
  const words = text.split(' ').slice(0, SHORT_WORDS).join(' ');
  return Array.from(words)
    .slice(0, text.includes(' ') ? words.length : SHORT_CHARACTERS)
    .join('');
};

/** Whether two charsets show the same text for these bytes. */
export function isShownAlike(bytes: Uint8Array, one: string, other: string): boolean {
  return one === other || textIn(bytes, one) === textIn(bytes, other);
}
