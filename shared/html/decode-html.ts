import { isUtf8 } from 'node:buffer';
import { charsetOf, REPLACEMENT, textIn } from './charsets.ts';
import { detectCharset } from './charset-model.ts';
import { charsetInMeta, charsetInXml } from './declared-charset.ts';

const WESTERN = 'windows-1252';
const HTML = /^(?:text\/html|application\/xhtml\+xml|)$/;
const XML = /[/+]xml$/;
/** With a larger share of replacement characters, a declaration is wrong. */
const MANY_FAULTS = 0.3;
/** UTF-8 may be cut off, or have a broken character in it. */
const FEW_FAULTS = 0.1;
const SAMPLE_BYTES = 1_000_000;
const CONTEXT_BYTES = 256;

/** The text of a page: by its byte order mark, its Content-Type, its `meta`, and what the bytes allow. */
export function decodeHtml(bytes: Uint8Array, contentType = ''): string {
  const mark = byMark(bytes);
  if (mark !== undefined) return textIn(bytes, mark);
  return byHeader(bytes, contentType) ?? byPage(bytes, contentType);
}

function byMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function byHeader(bytes: Uint8Array, contentType: string): string | undefined {
  const charset = charsetInType(contentType);
  // Many servers declare Western for all pages.
  return plausible(bytes, charset === WESTERN && isUtf8(bytes) ? 'utf-8' : charset);
}

function byPage(bytes: Uint8Array, contentType: string): string {
  const charset = charsetInPage(bytes, contentType);
  // UTF-8 that happens to be valid is UTF-8, whatever the page says.
  if (isUtf8(bytes) && !MEANS_MORE.test(charset ?? '')) return textIn(bytes, 'utf-8');
  return plausible(bytes, charset) ?? detected(bytes);
}

/** Encodings whose texts may be valid UTF-8 and mean something else. */
const MEANS_MORE = /^(?:iso-2022-jp|utf-16)/;

/** The first parameter of this name: https://mimesniff.spec.whatwg.org/#parsing-a-mime-type */
function charsetInType(contentType: string): string | undefined {
  const [, quoted, bare] = /;[\t\n\r ]*charset=(?:"((?:[^"\\]|\\.)*)"?|([^;,]*))/i.exec(contentType) ?? [];
  return charsetOf(quoted?.replace(/\\(.)/g, '$1') ?? bare ?? '');
}

function charsetInPage(bytes: Uint8Array, contentType: string): string | undefined {
  const type = (contentType.split(/[;,]/)[0] ?? '').trim().toLowerCase();
  const inMeta = HTML.test(type) ? charsetInMeta(bytes) : undefined;
  return inMeta ?? (HTML.test(type) || XML.test(type) ? charsetInXml(bytes) : undefined);
}

/** The text, or undefined if too much of it is garbled in this charset. */
function plausible(bytes: Uint8Array, charset: string | undefined): string | undefined {
  if (charset === undefined) return undefined;
  const text = textIn(bytes, charset);
  return charset === REPLACEMENT || faultsIn(text) <= MANY_FAULTS ? text : undefined;
}

function detected(bytes: Uint8Array): string {
  // Late text is judged with some bytes of its markup.
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const start = first < SAMPLE_BYTES / 2 ? 0 : first - CONTEXT_BYTES;
  const sample = bytes.subarray(start, start + SAMPLE_BYTES);
  const isMostlyUtf8 = faultsIn(textIn(sample, 'utf-8')) <= FEW_FAULTS;
  return textIn(bytes, isMostlyUtf8 ? 'utf-8' : detectCharset(sample));
}

/** The share of replacement characters among those beyond ASCII. */
function faultsIn(text: string): number {
  const faults = text.match(/\ufffd/g)?.length ?? 0;
  return faults === 0 ? 0 : faults / (text.match(/[\u0080-\uffff]/g)?.length ?? 1);
}
