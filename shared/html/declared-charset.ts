import { Tokenizer, TokenizerMode, type Token, type TokenHandler } from 'parse5';
import { charsetOf } from './charsets.ts';

/** Browsers look this far in any case, and further inside the head. */
const MIN_BYTES = 1_024;
const MAX_BYTES = 1_000_000;
const CHUNK_BYTES = 8_192;
/** Each label that is unknown costs an exception. */
const MAX_METAS = 1_000;

/** What Chromium takes for a part of the head. `html` and `head` end it only with their end tags. */
const IN_HEAD = new Set(['base', 'link', 'meta', 'noscript', 'object', 'script', 'style', 'title']);
const HEAD = new Set(['html', 'head']);

/** Elements whose content holds no tags. */
const MODES: Record<string, Tokenizer['state']> = {
  iframe: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  plaintext: TokenizerMode.PLAINTEXT,
  script: TokenizerMode.SCRIPT_DATA,
  style: TokenizerMode.RAWTEXT,
  textarea: TokenizerMode.RCDATA,
  title: TokenizerMode.RCDATA,
  xmp: TokenizerMode.RAWTEXT,
};

/**
 * The encoding that the first `meta` of the head declares. A tokenizer finds it as Chromium's does, while the
 * prescan of the standard would take it from a script too: html_meta_charset_parser.cc in Chromium.
 */
export function charsetInMeta(bytes: Uint8Array): string | undefined {
  let charset: string | undefined;
  let [isInHead, isDone, metas] = [true, false, 0];
  const tag = (token: Token.TagToken, isStart: boolean) => {
    const name = token.tagName;
    const isTooLate = !isInHead && (token.location?.startOffset ?? 0) >= MIN_BYTES;
    const isMeta = isStart && name === 'meta' && !isTooLate;
    if (isMeta) [charset, metas] = [charsetOfMeta(token), metas + 1];
    isDone = isTooLate || charset !== undefined || metas > MAX_METAS;
    if (isDone) tokenizer.pause();
    if (isStart) tokenizer.state = MODES[name] ?? tokenizer.state;
    if (!IN_HEAD.has(name) && !(isStart && HEAD.has(name))) isInHead = false;
  };
  const tokenizer = new Tokenizer({ sourceCodeLocationInfo: true }, handlerOf(tag));
  const end = Math.min(bytes.byteLength, MAX_BYTES);
  for (let at = 0; at < end && !isDone; at += CHUNK_BYTES)
    tokenizer.write(latin1(bytes, at, Math.min(at + CHUNK_BYTES, end)), false);
  return charset;
}

/**
 * The encoding by an XML declaration, which browsers heed in HTML too:
 * https://html.spec.whatwg.org/multipage/parsing.html#concept-get-xml-encoding-when-sniffing
 */
export function charsetInXml(bytes: Uint8Array): string | undefined {
  const head = latin1(bytes, 0, MIN_BYTES);
  if (head.startsWith('<\0?\0x\0')) return 'utf-16le';
  if (head.startsWith('\0<\0?\0x')) return 'utf-16be';
  const [, , label] = XML_ENCODING.exec(head) ?? [];
  return label === undefined ? undefined : charsetInBytes(label);
}

const XML_ENCODING = /^<\?xml[^>]*?encoding[\0- ]*=[\0- ]*(["'])([^>]*?)\1/;
/** https://html.spec.whatwg.org/multipage/urls-and-fetching.html#extracting-character-encodings-from-meta-elements */
const META_CONTENT =
  /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))/i;

function charsetOfMeta({ attrs }: Token.TagToken): string | undefined {
  const valueOf = (wanted: string) => attrs.find(({ name }) => name === wanted)?.value;
  const isPragma = valueOf('http-equiv')?.toLowerCase() === 'content-type';
  const [, double, single, bare] = (isPragma && META_CONTENT.exec(valueOf('content') ?? '')) || [];
  const label = valueOf('charset') ?? double ?? single ?? bare;
  return label === undefined ? undefined : charsetInBytes(label);
}

/** Bytes whose declaration could be read are not in UTF-16. */
function charsetInBytes(label: string): string | undefined {
  const charset = charsetOf(label);
  if (charset === 'x-user-defined') return 'windows-1252';
  return charset?.startsWith('utf-16') ? 'utf-8' : charset;
}

function handlerOf(tag: (token: Token.TagToken, isStart: boolean) => void): TokenHandler {
  const ignore = () => undefined;
  return {
    onStartTag: (token) => tag(token, true),
    onEndTag: (token) => tag(token, false),
    ...{ onComment: ignore, onDoctype: ignore, onEof: ignore },
    ...{ onCharacter: ignore, onNullCharacter: ignore, onWhitespaceCharacter: ignore },
  };
}

const latin1 = ({ buffer, byteOffset, byteLength }: Uint8Array, start: number, end: number) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1', start, Math.min(end, byteLength));
