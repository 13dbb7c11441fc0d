import { readFile } from 'node:fs/promises';
import { AppError } from '../../shared/errors.ts';
import type { Reply } from '../../shared/http/reply.ts';

const own = (name: string) => new URL(`docs/${name}`, import.meta.url);
const library = (name: string) => new URL(import.meta.resolve(`swagger-ui-dist/${name}`));

const files: Readonly<Record<string, { type: string; path: (name: string) => URL }>> = {
  'index.html': { type: 'text/html', path: own },
  'docs.css': { type: 'text/css', path: own },
  'docs.js': { type: 'text/javascript', path: own },
  'swagger-ui.css': { type: 'text/css', path: library },
  'swagger-ui-bundle.js': { type: 'text/javascript', path: library },
};

/** This host alone. The library has its icons as data. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A file of the reference page. Throws `not_found` for all others. */
export async function docsReply(name: string): Promise<Reply> {
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) throw new AppError('not_found');
  return {
    status: 200,
    headers: { 'Content-Type': `${file.type}; charset=utf-8`, 'Content-Security-Policy': POLICY },
    body: await readFile(file.path(name)),
  };
}
