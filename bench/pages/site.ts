/** Serves the measured pages. Prints its port, and ends with its parent. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { bundleApp } from '../../test/support/browser/bundle-app.ts';

const KILOBYTE = 1_000;
const FIRST_BYTE_MS = 300;
const RESOURCES = 20;

const SPA = /* js */ `
  import { createElement as h, useEffect, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  function App() {
    const [items, setItems] = useState([]);
    useEffect(() => void fetch('/items').then((answer) => answer.json()).then(setItems), []);
    return h('ul', null, items.map((item) => h('li', { key: item }, item)));
  }
  createRoot(document.getElementById('root')).render(h(App));
`;
const ROW = '<tr><td>Lorem ipsum dolor sit amet,</td><td>consectetur adipisici elit.</td></tr>\n';

const html = (body: string, head = '') =>
  `<!DOCTYPE html><html><head><title>Page</title>${head}</head><body>${body}</body></html>`;
const table = (bytes: number) =>
  html(`<table>${ROW.repeat(bytes / ROW.length)}</table><p id="end">whole</p>`);

const numbers = Array.from({ length: RESOURCES }, (_, n) => n);
const links = numbers.map((n) => `<link rel="stylesheet" href="/style-${n}.css">`).join('');
const scripts = numbers.map((n) => `<script src="/script-${n}.js"></script>`).join('');

const [page, javascript] = ['text/html; charset=utf-8', 'text/javascript'];
const files: Readonly<Record<string, [type: string, body: string]>> = {
  '/10-kb': [page, table(10 * KILOBYTE)],
  '/100-kb': [page, table(100 * KILOBYTE)],
  '/1-mb': [page, table(KILOBYTE * KILOBYTE)],
  '/300-ms': [page, table(10 * KILOBYTE)],
  '/spa': [page, html('<div id="root"></div><script src="/spa.js"></script>')],
  '/spa.js': [javascript, await bundleApp(SPA)],
  '/items': ['application/json', JSON.stringify(Array.from({ length: 100 }, (_, n) => `item ${n}`))],
  '/4-s-timer': [page, html(`<script>setTimeout(() => document.body.append('late'), 4_000)</script>`)],
  '/40-resources': [page, html(scripts, links)],
  ...Object.fromEntries(
    numbers.map((n) => [`/style-${n}.css`, ['text/css', `.s${n} { color: #${n + 100} }`]]),
  ),
  ...Object.fromEntries(numbers.map((n) => [`/script-${n}.js`, [javascript, scriptOf(n)]])),
};

function scriptOf(n: number): string {
  return `document.body.appendChild(document.createElement('p')).className = 's${n}';`;
}

async function answer(path: string, response: ServerResponse): Promise<void> {
  if (path === '/300-ms') await setTimeout(FIRST_BYTE_MS);
  const [type, body] = files[path] ?? ['text/plain', ''];
  response
    .writeHead(files[path] ? 200 : 404, { 'Content-Type': type, 'Cache-Control': 'no-store' })
    .end(body);
}

const server = createServer((request, response) => void answer(request.url ?? '', response));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log((server.address() as AddressInfo).port);
process.stdin.resume().on('close', () => process.exit());
