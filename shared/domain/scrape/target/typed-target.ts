import { z } from 'zod';
import { canonicalHost } from './target-host.ts';

/** `host:port` as typed by a person, normalised. */
export const typedTarget = z.string().transform((text, context) => {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const name = canonicalHost(host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);
  if (name !== undefined && Number(port) <= 65_535) return `${name}:${port}`;
  const advice = text.includes('//') ? 'leave out the scheme and the path' : 'expected host:port';
  context.addIssue(`${advice}, as in localhost:8000, but got "${text}"`);
  return z.NEVER;
});
