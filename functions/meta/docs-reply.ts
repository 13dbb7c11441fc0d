import { readFile } from 'node:fs/promises';
import { AppError, catalogue } from '../../shared/errors.ts';
import type { Reply } from '../../shared/http/reply.ts';

const files: Readonly<Record<string, string>> = {
  'index.html': 'text/html',
  'docs.css': 'text/css',
  'docs.js': 'text/javascript',
  'icon.svg': 'image/svg+xml',
};

/** Allows scripts, styles and requests of this host only, and no markup created by scripts. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** The page that examples fetch, unless a path follows. */
const EXAMPLE_PAGE = /https:\/\/example\.com\/(?!\w)/g;

/** A file of the documentation. Its examples fetch `demoPage` if it is set. Throws `not_found`. */
export async function docsReply(name: string, demoPage?: string): Promise<Reply> {
  const type = Object.hasOwn(files, name) ? files[name] : undefined;
  if (type === undefined) throw new AppError('not_found');
  const file = await readDocs(name);
  const isExample = type === 'text/html' && demoPage !== undefined;
  return reply(type, isExample ? file.replace(EXAMPLE_PAGE, demoPage) : file);
}

/** The page of an error code. Throws `not_found` for all others. */
export async function errorPageReply(code: string): Promise<Reply> {
  if (!Object.hasOwn(catalogue, code)) throw new AppError('not_found');
  return reply('text/html', await readDocs(`errors/${code}.html`));
}

function readDocs(name: string): Promise<string> {
  return readFile(new URL(`docs/${name}`, import.meta.url), 'utf8');
}

function reply(type: string, body: string): Reply {
  return {
    status: 200,
    headers: { 'Content-Type': `${type}; charset=utf-8`, 'Content-Security-Policy': POLICY },
    body,
  };
}
