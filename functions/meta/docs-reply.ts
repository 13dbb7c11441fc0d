import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { AppError, catalogue } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { isNotModified } from '../../shared/http/conditions.ts';
import { preferredType } from '../../shared/http/content-encoding.ts';
import type { Reply } from '../../shared/http/reply.ts';

type Headers = Call['headers'];

const ASSETS: Readonly<Record<string, string>> = {
  'docs.css': 'text/css',
  'docs.js': 'text/javascript',
  'icon.svg': 'image/svg+xml',
};

const [HTML, MARKDOWN] = ['text/html', 'text/markdown'];

/** Allows scripts, styles, requests and forms of this host only, and no markup created by scripts. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** The page that examples fetch, unless a path follows. */
const EXAMPLE_PAGE = /https:\/\/example\.com\/(?!\w)/g;

/** Stands for the URL of the API in what is read without a base. */
const API_URL = /\{API_URL\}/g;

export type Docs = {
  index: (headers: Headers) => Promise<Reply>;
  llms: (headers: Headers) => Promise<Reply>;
  file: (name: string, headers: Headers) => Promise<Reply>;
  error: (code: string, headers: Headers) => Promise<Reply>;
};

/** The documentation. Its examples fetch `demoPage` if it is set. All but the start throw `not_found`. */
export function docsOf(apiUrl: string, demoPage?: string): Docs {
  const written = (text: string) =>
    (demoPage === undefined ? text : text.replace(EXAMPLE_PAGE, demoPage)).replace(API_URL, apiUrl);
  const send = async (headers: Headers, type: string, name: string) =>
    documentReply(headers, type, written(await readDocs(name)));
  /** By its suffix, or as the caller prefers. */
  const pageOf = (folder: 'pages' | 'errors', sent: string, headers: Headers) => {
    const [, name, suffix] = /^([\w-]+)(\.md)?$/.exec(sent) ?? [];
    if (name === undefined) throw new AppError('not_found');
    const isMarkdown = suffix !== undefined || prefersMarkdown(headers);
    return send(headers, isMarkdown ? MARKDOWN : HTML, `${folder}/${name}${isMarkdown ? '.md' : '.html'}`);
  };
  return {
    index: (headers) =>
      prefersMarkdown(headers) ? send(headers, MARKDOWN, 'llms.txt') : send(headers, HTML, 'index.html'),
    llms: (headers) => send(headers, 'text/plain', 'llms.txt'),
    file: async (name, headers) =>
      Object.hasOwn(ASSETS, name) ? send(headers, ASSETS[name] ?? '', name) : pageOf('pages', name, headers),
    error: async (code, headers) => {
      if (!Object.hasOwn(catalogue, code.replace(/\.md$/, ''))) throw new AppError('not_found');
      return pageOf('errors', code, headers);
    },
  };
}

/** Whether a program wants Markdown, as an agent does. */
export const prefersMarkdown = ({ accept }: Headers): boolean =>
  preferredType(accept, [HTML, MARKDOWN]) === MARKDOWN;

/** A file of the documentation. Throws `not_found`. */
export function readDocs(name: string): Promise<string> {
  return readFile(new URL(`docs/${name}`, import.meta.url), 'utf8').catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new AppError('not_found') : error;
  });
}

/** A document that caches may keep if they check it, or 304 for a caller that has it. */
export function documentReply(headers: Headers, type: string, body: string): Reply {
  const ETag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const isKnown = isNotModified(headers, { ETag });
  return {
    status: isKnown ? 304 : 200,
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Security-Policy': POLICY,
      // A weak one, as the same text may also be compressed: RFC 9110 section 8.8.1.
      ETag: `W/${ETag}`,
      'Cache-Control': 'no-cache',
      ...(type === HTML || type === MARKDOWN ? { Vary: 'Accept' } : {}),
    },
    body: isKnown ? '' : body,
  };
}
