import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PASSWORD } from '../world/visitor.ts';

/** A client that sends forms to a running dashboard and keeps its cookies, as a browser does. */
export function pageClient(dashboardUrl: string) {
  const jar = new Map<string, string>();

  async function send(method: 'GET' | 'POST', path: string, fields?: Record<string, string>) {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(dashboardUrl + path, {
      method,
      redirect: 'manual',
      headers: { Origin: dashboardUrl, Cookie: cookie },
      ...(fields && { body: new URLSearchParams(fields) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const { status, headers } = response;
    return { status, location: headers.get('location'), html: await response.text() };
  }

  return {
    get: (path: string) => send('GET', path),
    submit: (path: string, fields: Record<string, string> = {}) => send('POST', path, fields),
  };
}

/** The code in the last mail to an address. */
export async function mailedCode(localDir: string, email: string): Promise<string> {
  const folder = join(localDir, 'mail');
  const mails = (await readdir(folder)).sort();
  const mail = mails.findLast((name) => name.includes(email)) ?? '';
  return /\b\d{6}\b/.exec(await readFile(join(folder, mail), 'utf8'))?.[0] ?? '';
}

/** A visitor with a new account, and the page that shows its first key. */
export async function newMember(dashboardUrl: string, localDir: string, email: string) {
  const visitor = pageClient(dashboardUrl);
  await visitor.submit('/sign-up', { email, password: PASSWORD });
  const { html } = await visitor.submit('/confirm', { code: await mailedCode(localDir, email) });
  return { visitor, html };
}
