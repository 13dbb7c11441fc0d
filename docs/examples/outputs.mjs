// What is in a page, with Node 20 or newer: its text, a picture and a PDF of one visit, in the current folder.
//   SITEFETCH_URL=https://... SITEFETCH_KEY=sf_... node outputs.mjs https://example.com/
import { writeFile } from 'node:fs/promises';
import { argv, env, exit } from 'node:process';

const [, , url] = argv;
if (!url || !env.SITEFETCH_URL || !env.SITEFETCH_KEY) {
  console.error(
    'Usage: SITEFETCH_URL=https://... SITEFETCH_KEY=sf_... node outputs.mjs https://example.com/',
  );
  exit(2);
}

const answer = await fetch(`${env.SITEFETCH_URL.replace(/\/$/, '')}/api/v1/scraper`, {
  method: 'POST',
  headers: { Authorization: `Bearer ${env.SITEFETCH_KEY}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({
    url,
    format: 'json',
    formats: ['markdown', 'links', 'screenshot', 'pdf'],
    screenshot: { full_page: true },
    pdf: { paper: 'a4' },
  }),
});
const page = await answer.json();
if (!answer.ok) throw new Error(`${answer.status} ${page.code}: ${page.message} (${page.request_id})`);

const files = {
  'page.md': page.markdown,
  [`page.${page.screenshot.type}`]: Buffer.from(page.screenshot.base64, 'base64'),
  'page.pdf': Buffer.from(page.pdf.base64, 'base64'),
};
for (const [name, content] of Object.entries(files)) {
  await writeFile(name, content);
  console.log(`${name}: ${Buffer.byteLength(content)} bytes`);
}
console.log(`${page.links.length} links, ${answer.headers.get('X-Credits-Used')} credits`);
