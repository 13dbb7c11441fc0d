import type { RequestListener } from 'node:http';

const words = (topic: string) =>
  Array.from({ length: 60 }, (_, n) => `${topic} says ${n} things about pages`).join('. ');

const page = (title: string, links: readonly string[]) => `<!doctype html><html lang="en"><head>
  <title>${title}</title><meta name="description" content="About ${title}"><link rel="icon" href="/icon.png"></head>
  <body><nav><a href="/">Home</a></nav><main><h1>${title}</h1><img src="/logo.png" alt="The logo">
  <p>${words(title)}.</p>${links.map((path) => `<p><a href="${path}">${path}</a></p>`).join('')}</main></body></html>`;

/** Paths that every host has, besides its front page. */
const PATHS = ['/docs/start', '/docs/scrape', '/docs/crawl', '/blog/one', '/blog/two', '/about'];

/** What the hosts of the tests answer, instead of the real ones. */
export const site: RequestListener = ({ url = '/', headers: { host = '' } }, response) => {
  const { pathname } = new URL(url, `https://${host}`);
  const send = (status: number, type: string, body: string) =>
    void response.writeHead(status, { 'Content-Type': type }).end(body);
  if (pathname === '/robots.txt') send(200, 'text/plain', `Sitemap: https://${host}/sitemap.xml\n`);
  else if (pathname === '/sitemap.xml') {
    const urls = PATHS.map((path) => `<url><loc>https://${host}${path}</loc></url>`);
    send(200, 'application/xml', `<urlset>${urls.join('')}</urlset>`);
  } else if (pathname === '/') send(200, 'text/html; charset=utf-8', page(host, PATHS));
  else if (PATHS.includes(pathname)) send(200, 'text/html; charset=utf-8', page(pathname, ['/']));
  else send(404, 'text/plain', 'Not found');
};
