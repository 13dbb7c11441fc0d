import { html, renderSite } from './render-site.ts';

const ETAG = '"same"';
const WORDS = '<p>Blue shoes, sizes 36 to 44, in stock and sent within two days of your order.</p>';
const SHELL = `<div id="app"></div><script>document.querySelector('#app').innerHTML = '${WORDS}'</script>`;
const WALL = '<title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/h/b/x.js"></script>';
const PASS = "document.cookie = 'passed=1'; location.reload();";

/** A site with a page, a shell for scripts, a wall that browsers pass, and a page with an ETag. */
export async function mixedSite() {
  let held: Promise<unknown> = Promise.resolve();
  const site = await renderSite({
    '/page': (_, response) => void held.then(() => html(response, WORDS)),
    '/shell': (_, response) => void held.then(() => html(response, SHELL)),
    '/wall': ({ headers }, response) => {
      if (headers.cookie?.includes('passed=1')) html(response, WORDS);
      else html(response.setHeader('cf-mitigated', 'challenge'), WALL, 403);
    },
    '/cdn-cgi/challenge-platform/h/b/x.js': (_, response) =>
      response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(PASS),
    '/same': ({ headers }, response) => {
      response.setHeader('ETag', ETAG);
      if (headers['if-none-match'] === ETAG) response.writeHead(304).end();
      else html(response, WORDS);
    },
  });
  /** Pages and shells are sent once the returned function was called. */
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers();
    held = promise;
    return () => resolve(undefined);
  };
  return { ...site, hold };
}
