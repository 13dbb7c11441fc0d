import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

const FORM = `<h1>Log in</h1><form method="post" action="/login">
  <input id="name" name="name" placeholder="Any name"> <input id="password" name="password" type="password"> <button>Log in</button>
</form>`;

/** A form that takes any name, for scenarios and POSTs. What it shows, it has from a cookie. */
export async function login(response: ServerResponse, html: (body: string) => void): Promise<void> {
  const { req: request } = response;
  if (request.method !== 'POST') {
    const name = /(?:^|; )name=([^;]*)/.exec(request.headers.cookie ?? '')?.[1];
    html(name ? `<h1 id="hello">Hello ${escaped(decodeURIComponent(name))}</h1>` : FORM);
    return;
  }
  const name = new URLSearchParams(await text(request)).get('name') ?? '';
  const cookie = `name=${encodeURIComponent(name)}; HttpOnly; SameSite=Lax`;
  response.writeHead(303, { Location: '/login', 'Set-Cookie': cookie }).end();
}

const escaped = (name: string) => name.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
