import type { Html } from './views/html.ts';
import type { PageCall } from './page-call.ts';

export type PageReply = {
  status: number;
  headers: Readonly<Record<string, string>>;
  cookies: readonly string[];
  body: string;
};

type More = Partial<Pick<PageReply, 'status' | 'headers' | 'cookies'>>;

export async function pageReply(
  page: Html,
  { status = 200, headers = {}, cookies = [] }: More = {},
): Promise<PageReply> {
  const body = String(await page);
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, cookies, body };
}

/** For the script of a page. */
export function jsonReply(status: number, body: object): PageReply {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return { status, headers, cookies: [], body: JSON.stringify(body) };
}

/** A file that browsers store. */
export function fileReply(name: string, type: string, body: string): PageReply {
  const headers = { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` };
  return { status: 200, headers, cookies: [], body };
}

/** Redirects after a form, so that a reload does not resend it: RFC 9110 section 15.4.4. */
export function seeOther(call: PageCall, path: string, { headers = {}, cookies = [] }: More = {}): PageReply {
  return { status: 303, headers: { Location: call.at(path), ...headers }, cookies, body: '' };
}
