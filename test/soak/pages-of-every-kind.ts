import { renderSite, type Respond } from '../support/servers/render-site.ts';

export type Kind = {
  path: string;
  /** The allowed outcomes: `page` or an error code. */
  outcomes: readonly string[];
  /** Markup that the page must contain. */
  holds?: string;
  timeoutMs?: number;
  /** It takes part in one of this many rounds. */
  every?: number;
};

const PAGE = ['page'] as const;
const worker = (code: string) => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}])))`;
const to =
  (location: string): Respond =>
  (_, response) =>
    response.writeHead(302, { location }).end();
const attachment: Respond = (_, response) => {
  response.writeHead(200, {
    'Content-Type': 'application/zip',
    'Content-Disposition': 'attachment; filename=a.zip',
  });
  response.end(Buffer.alloc(100_000, 'PK'));
};
const after = (code: string, text = 'stays') =>
  `<p>${text}<script>onload = () => setTimeout(() => { ${code} })</script>`;

/** Pages for every outcome of a scrape, including those known to crash browsers. */
export const KINDS: readonly Kind[] = [
  { path: '/static', outcomes: PAGE, holds: 'static' },
  { path: '/script', outcomes: PAGE, holds: 'by script' },
  { path: '/fetch', outcomes: PAGE, holds: 'fetched' },
  { path: '/frames', outcomes: PAGE, holds: 'framed' },
  { path: '/workers', outcomes: PAGE, holds: 'by worker' },
  { path: '/popups', outcomes: PAGE, holds: 'opened' },
  { path: '/download', outcomes: ['page', 'bad_upstream_response'] },
  { path: '/downloads', outcomes: PAGE, holds: 'stays' },
  { path: '/204', outcomes: ['page', 'bad_upstream_response'] },
  { path: '/to-204', outcomes: PAGE, holds: 'stays' },
  { path: '/replaced', outcomes: PAGE, holds: 'static' },
  { path: '/aborted', outcomes: PAGE, holds: 'stays' },
  { path: '/aborted-frames', outcomes: PAGE, holds: 'stays' },
  { path: '/redirects', outcomes: PAGE, holds: 'static' },
  { path: '/round', outcomes: ['too_many_redirects'] },
  { path: '/app-link', outcomes: PAGE, holds: 'stays' },
  { path: '/dialogs', outcomes: PAGE, holds: 'answered' },
  { path: '/cut', outcomes: PAGE, holds: 'half' },
  { path: '/reset', outcomes: ['connect_failed', 'bad_upstream_response'] },
  { path: '/404', outcomes: PAGE, holds: 'nothing' },
  { path: '/throws', outcomes: PAGE, holds: 'thrown' },
  { path: '/recursion', outcomes: PAGE, holds: 'RangeError' },
  { path: '/gpu', outcomes: PAGE, holds: 'drawn' },
  { path: '/storage', outcomes: PAGE, holds: 'stored' },
  { path: '/spins', outcomes: ['timeout'], timeoutMs: 600, every: 2 },
  { path: '/worker-spins', outcomes: PAGE, holds: 'stays', every: 2 },
  { path: '/allocates', outcomes: ['page', 'timeout', 'browser_crashed'], timeoutMs: 5_000, every: 8 },
  { path: '/fills-heap', outcomes: ['timeout', 'browser_crashed'], timeoutMs: 5_000, every: 8 },
];

export function siteOfEveryKind(otherOrigin: string) {
  return renderSite({
    '/static': '<p>static',
    '/script': '<script>document.write("<p>by " + "script")</script>',
    '/fetch': `<p id=p><script>fetch('/text').then((answer) => answer.text()).then((text) => setTimeout(() => { p.textContent = text; }, 30))</script>`,
    '/text': (_, response) => response.end('fetched'),
    '/frames': `<p id=p><iframe src=/static></iframe><iframe src="${otherOrigin}/static"></iframe><iframe srcdoc="<script>parent.postMessage('framed', '*')</script>"></iframe>
      <script>onmessage = ({ data }) => { p.textContent = data; }; setTimeout(() => document.querySelector('iframe').remove(), 20)</script>`,
    '/workers': `<p id=p><script>for (let i = 0; i < 8; i++) ${worker('postMessage("by worker")')}.onmessage = ({ data }) => { p.textContent = data; };
      new SharedWorker('/shared.js'); navigator.serviceWorker.register('/shared.js');</script>`,
    '/shared.js': (_, response) =>
      response.writeHead(200, { 'Content-Type': 'text/javascript' }).end('onconnect = () => 0'),
    '/popups': `<p>opened<a href="${otherOrigin}/static" target=_blank></a><script>for (let i = 0; i < 20; i++) open('/static'); document.links[0].click()</script>`,
    '/download': attachment,
    '/downloads':
      '<p>stays<a download href=/download></a><script>onload = () => { document.links[0].click(); location = "/download"; }</script>',
    '/204': (_, response) => response.writeHead(204).end(),
    '/to-204': after('location = "/204"'),
    '/replaced': after('location = "/slow"; setTimeout(() => { location.replace("/static"); }, 20)'),
    '/slow': (request, response) => {
      const timer = setTimeout(() => response.end('late'), 2_000);
      request.socket.once('close', () => clearTimeout(timer));
    },
    '/aborted': after('location = "/slow"; setTimeout(() => stop(), 20)'),
    '/aborted-frames': after(`for (let i = 0; i < 10; i++) {
      const frame = document.body.appendChild(document.createElement('iframe'));
      frame.src = '/slow'; setTimeout(() => frame.remove(), i);
    }`),
    '/redirects': to('/redirects/2'),
    '/redirects/2': to(`${otherOrigin}/static`),
    '/round': to('/round'),
    '/app-link': after('location = "myapp://open"'),
    '/dialogs':
      '<p id=p><script>alert(1); p.textContent = confirm("?") || prompt("?") || "answered"; onbeforeunload = () => "no"</script>',
    '/cut': (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': 9_999 });
      response.write('<p>half</p><p>of it', () => response.destroy());
    },
    '/reset': ({ socket }) => void socket.resetAndDestroy(),
    '/throws': '<p>thrown<script>Promise.reject(new Error("1")); throw new Error("2")</script>',
    '/recursion':
      '<p id=p><script>const deep = () => deep() + 1; try { deep() } catch (error) { p.textContent = error.name; }</script>',
    '/gpu': `<p id=p><canvas></canvas><script>const gl = document.querySelector('canvas').getContext('webgl');
      const flat = new OffscreenCanvas(900, 900).getContext('2d'); flat.fillRect(0, 0, 900, 900); new AudioContext();
      p.textContent = gl ? 'drawn' : 'drawn flat'</script>`,
    '/storage': `<p id=p><script>localStorage.a = 'x'.repeat(1e6); document.cookie = 'a=1; max-age=999'; indexedDB.open('a').onsuccess = () => {
      caches.open('a').then((cache) => cache.put('/b', new Response(new Uint8Array(3e6)))).then(() => { p.textContent = 'stored'; }) }</script>`,
    '/spins': '<script>for (;;);</script>',
    '/worker-spins': `<p>stays<script>for (let i = 0; i < 20; i++) ${worker('for (;;);')}</script>`,
    '/allocates': '<p>x<script>const all = []; for (;;) all.push(new Uint8Array(2e7).fill(1))</script>',
    '/fills-heap': '<p>x<script>const all = []; for (let i = 0; ; i++) all.push({ ["k" + i]: [i] })</script>',
  });
}
