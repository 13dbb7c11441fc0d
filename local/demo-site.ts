import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { listen, type Listening } from './listen.ts';
import { crawlerFiles, magazinePage } from './magazine/magazine.ts';

type Page = (response: ServerResponse, query: URLSearchParams, rest: string) => unknown;

const REDIRECTS = 3;
const MEGABYTE = 1_000_000;
const ETAG = '"same"';
const HTML = 'text/html; charset=utf-8';

/** Each page by the first part of its path, with its line on the site's front page. */
const pages: Readonly<Record<string, { example: string; about: string; page: Page }>> = {
  '': { example: '/', about: 'this page, plain HTML', page: (response) => html(response, 200, front()) },
  js: {
    example: '/js',
    about: 'content that JavaScript fetches after load',
    page: (response) => html(response, 200, script),
  },
  data: {
    example: '/data',
    about: 'what /js fetches',
    page: (response) => send(response, 'application/json', data),
  },
  login: {
    example: '/login',
    about: 'a form to fill in with `js_scenario`, or to send with `method` and `body`',
    page: (response) => login(response, (body) => html(response, 200, body)),
  },
  slow: {
    example: '/slow?ms=3000',
    about: 'first byte after this many milliseconds',
    page: async (response, query) => {
      const ms = Number(query.get('ms') ?? 3_000);
      await wait(ms, undefined, { ref: false });
      html(response, 200, `<h1>Slow</h1><p>This page took ${ms} ms.</p>`);
    },
  },
  redirect: {
    example: '/redirect',
    about: `${REDIRECTS} redirects, then the front page`,
    page: (response, _, rest) => {
      const hop = Number(rest || 1);
      redirect(response, hop < REDIRECTS ? `/redirect/${hop + 1}` : '/');
    },
  },
  'redirect-to': {
    example: '/redirect-to?url=%2Fjs',
    about: 'a redirect to anywhere',
    page: (response, query) => redirect(response, query.get('url') ?? '/'),
  },
  same: {
    example: '/same',
    about: 'a page with an `ETag`, for `revalidate`',
    page: (response) => {
      const isKnown = response.req.headers['if-none-match'] === ETAG;
      response.setHeader('ETag', ETAG);
      if (isKnown) response.writeHead(304).end();
      else html(response, 200, '<h1>Always the same</h1><p>This page never changes.</p>');
    },
  },
  'file.pdf': {
    example: '/file.pdf',
    about: 'a PDF',
    page: (response) => send(response, 'application/pdf', pdf('A small PDF.')),
  },
  status: {
    example: '/status/404',
    about: 'a page with that status; try 500',
    page: (response, _, rest) => {
      const status = /^[2-5]\d\d$/.test(rest) ? Number(rest) : 400;
      html(response, status, `<h1>${status}</h1><p>This page is sent with status ${status}.</p>`);
    },
  },
  big: {
    example: '/big?mb=20',
    about: 'so many megabytes of HTML',
    page: async (response, query) => {
      response.writeHead(200, { 'Content-Type': HTML });
      await pipeline(Readable.from(big(Number(query.get('mb') ?? 20))), response).catch(() => undefined);
    },
  },
  magazine: {
    example: '/magazine/',
    about: 'thirty pages of a magazine with a shop, to crawl',
    page: (response, _, rest) => {
      const { title, body } = magazinePage(rest) ?? {};
      if (body === undefined) html(response, 404, '<h1>Not found</h1>');
      else html(response, 200, body, `${title} · Crumb`);
    },
  },
};

/** Starts a small site to scrape without internet access, on any free port unless one is given. */
export async function startDemoSite(port = 0): Promise<Listening> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  return listen(server, port);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://demo');
  const file = crawlerFiles[pathname];
  const [name = '', ...rest] = pathname.slice(1).split('/');
  const found = Object.hasOwn(pages, name) ? pages[name] : undefined;
  if (file) send(response, file.type, file.body(`http://${request.headers.host}`));
  else if (found) await found.page(response, searchParams, rest.join('/'));
  else html(response, 404, '<h1>Not found</h1>');
}

function front(): string {
  const items = Object.values(pages).map(
    ({ example, about }) => `<li><a href="${example}">${example}</a>: ${withCode(about)}</li>`,
  );
  return `<h1>Demo site</h1><p>Pages to scrape.</p><ul>${items.join('')}</ul>`;
}

/** Names in backticks as code. */
const withCode = (text: string) => text.replace(/`([^`]*)`/g, '<code>$1</code>');

const data = JSON.stringify({ text: 'This text was fetched by JavaScript.' });

const script = `<h1>JavaScript</h1><p id="content">Loading</p><script>
  addEventListener('load', async () => {
    const { text } = await (await fetch('/data')).json();
    document.querySelector('#content').textContent = text;
  });
</script>`;

/** About 64 KB, the size that servers write at once. */
const LINES_A_WRITE = 64;

function* big(megabytes: number): Generator<string> {
  const line = `<p>${'0123456789'.repeat(99)}...</p>\n`.repeat(LINES_A_WRITE);
  const head = '<!doctype html><title>Big</title>\n';
  yield head;
  for (let bytes = head.length; bytes < megabytes * MEGABYTE; bytes += line.length) yield line;
}

function html(response: ServerResponse, status: number, body: string, title = 'Demo'): void {
  response.writeHead(status, { 'Content-Type': HTML });
  response.end(
    `<!doctype html><html lang="en"><head><title>${title}</title></head><body>${body}</body></html>`,
  );
}

function send(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'Content-Type': type }).end(body);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { Location: location }).end();
}

/** A minimal PDF: catalog, pages, one page, its content, a font, and the table of their offsets. */
function pdf(text: string): string {
  const content = `BT /F1 24 Tf 40 100 Td (${text}) Tj ET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj${object}endobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  return `${body}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF\n`;
}

const FORM = `<h1>Log in</h1><form method="post" action="/login">
  <input id="name" name="name" placeholder="Any name"> <input id="password" name="password" type="password"> <button>Log in</button>
</form>`;

/** A form that takes any name, for scenarios and POSTs. What it shows, it has from a cookie. */
async function login(response: ServerResponse, html: (body: string) => void): Promise<void> {
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
