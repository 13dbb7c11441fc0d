import type { IncomingMessage } from 'node:http';
import { MAX_PAGE_BYTES } from '../contract/scrape/page.ts';
import { toAppError } from '../errors.ts';
import { decodeBody } from './decode/decode-body.ts';
import { encodingsOf } from './decode/encodings-of.ts';
import { portOf, type ProxyTarget } from './read-target.ts';

/** The encoded bodies of documents: Chromium shows a truncated body without a word. */
export type DocumentBodies = {
  watch: (target: ProxyTarget, request: IncomingMessage, response: IncomingMessage) => void;
  /** Whether the last document of that URL ended before its coding did. False if that is not known. */
  isTruncated: (url: string) => Promise<boolean>;
};

type Kept = { encodings: readonly string[]; chunks: Buffer[]; isWhole: boolean };

/** Of all documents of a scrape together. */
const MAX_KEPT_BYTES = MAX_PAGE_BYTES;

export function openDocumentBodies(signal: AbortSignal): DocumentBodies {
  const kept = new Map<string, Kept>();
  let bytes = 0;

  function keep(body: Kept, chunk: Buffer): void {
    bytes += chunk.length;
    if (bytes <= MAX_KEPT_BYTES) body.chunks.push(chunk);
    else kept.clear();
  }
  return {
    watch(target, request, response) {
      const url = `${target.host}:${target.port}${target.path}`;
      kept.delete(url);
      const encodings = isDocument(request) ? encodingsIn(response) : [];
      if (encodings.length === 0 || bytes > MAX_KEPT_BYTES) return;
      const body: Kept = { encodings, chunks: [], isWhole: false };
      kept.set(url, body);
      response.on('data', (chunk: Buffer) => keep(body, chunk));
      response.once('end', () => (body.isWhole = true));
    },
    async isTruncated(text) {
      const url = URL.parse(text);
      const body = url && kept.get(`${url.hostname}:${portOf(url)}${url.pathname}${url.search}`);
      if (!body?.isWhole) return false;
      const decoded = decodeBody(Buffer.concat(body.chunks), body.encodings, MAX_PAGE_BYTES, signal);
      return decoded.then(
        ({ isTruncated }) => isTruncated,
        (fault: unknown) => toAppError(fault).code === 'bad_upstream_response',
      );
    },
  };
}

/** Sent with navigations alone: https://www.w3.org/TR/upgrade-insecure-requests/#preference */
const isDocument = ({ headers }: IncomingMessage) => headers['upgrade-insecure-requests'] === '1';

function encodingsIn({ headers }: IncomingMessage): readonly string[] {
  try {
    return encodingsOf(headers['content-encoding'] ?? '');
  } catch {
    return [];
  }
}
