import type { Html } from './html.ts';
import type { PageCall } from './page-call.ts';

export type DashboardReply = {
  status: number;
  headers: Readonly<Record<string, string>>;
  cookies: readonly string[];
  body: string;
};

type More = Partial<Pick<DashboardReply, 'status' | 'headers' | 'cookies'>>;

export async function htmlReply(
  page: Html,
  { status = 200, headers = {}, cookies = [] }: More = {},
): Promise<DashboardReply> {
  const body = String(await page);
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, cookies, body };
}

/** For the script of a page. */
export function jsonReply(status: number, body: object): DashboardReply {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return { status, headers, cookies: [], body: JSON.stringify(body) };
}

/** A file that browsers store. */
export function fileReply(name: string, type: string, body: string): DashboardReply {
  const headers = { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` };
  return { status: 200, headers, cookies: [], body };
}

/** Redirects after a form, so that a reload does not resend it: RFC 9110 section 15.4.4. */
export function seeOther(
  call: PageCall,
  path: string,
  { headers = {}, cookies = [] }: More = {},
): DashboardReply {
  return { status: 303, headers: { Location: call.at(path), ...headers }, cookies, body: '' };
}
