import { afterAll, describe, expect, test } from 'vitest';
import type { RenderRequest } from '../../shared/contract/scrape/messages.ts';
import { type Pictures, picturesFrom } from '../../shared/contract/scrape/picture.ts';
import { browserPool } from '../support/browser/browser-pool.ts';
import { decodePng } from '../support/browser/decode-png.ts';
import { renderSite, type Respond } from '../support/servers/render-site.ts';

const [RED, GREEN, BLUE, WHITE, BLACK] = [
  [255, 0, 0],
  [0, 128, 0],
  [0, 0, 255],
  [255, 255, 255],
  [0, 0, 0],
];
const svg =
  (color: string): Respond =>
  (_, response) =>
    void response
      .writeHead(200, { 'Content-Type': 'image/svg+xml' })
      .end(
        `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><rect width="200" height="100" fill="${color}"/></svg>`,
      );

const long = `<style>body{margin:0} header{position:sticky;top:0;height:50px;background:green} footer{position:fixed;bottom:0;width:100%;height:40px;background:blue}
  @keyframes fade { from { opacity: 0 } to { opacity: 1 } } #last{height:100px;background:red;opacity:0} #last.seen{opacity:1;transition:opacity 3s}</style>
  <header></header><footer></footer><div style="height:3000px"></div><img loading="lazy" src="/red" style="display:block"><div style="height:1000px"></div>
  <img id="late" width="200" height="100" style="display:block"><div id="last"></div><div style="height:40px"></div>
  <script>new IntersectionObserver(([entry]) => { if (entry.isIntersecting) { late.src = '/blue'; last.classList.add('seen') } }).observe(late)</script>`;

const site = await renderSite({
  '/red': svg('red'),
  '/blue': svg('blue'),
  '/long': long,
  '/short': `<style>body{margin:0;background:white} @media (prefers-color-scheme: dark){body{background:black}}</style>
    <header style="position:fixed;height:60px;width:100%;background:green"></header><div style="height:5000px"></div><img id="it" src="/red"><p style="margin:900px 0">End</p>`,
  '/named': `<style>body{margin:0}</style><div style="height:3000px"></div><form style="content-visibility:auto"><input name="style"></form>
    <form style="position:fixed;bottom:0;width:100%;height:40px;background:blue"><input name="style"></form>`,
  '/tall': `<style>body{margin:0}div{height:1000px}</style>${Array.from({ length: 18 }, (_, n) => `<div style="background:rgb(${n * 10},0,${255 - n * 10})"></div>`).join('')}
    <script>addEventListener('resize', () => { document.body.style.display = 'none' })</script>`,
  '/print': `<h1 style="background:red">One</h1><a href="https://example.com/">A link</a><p style="break-before:page">Two</p><p style="break-before:page">Three</p>`,
  '/file': (_, response) =>
    void response.writeHead(200, { 'Content-Type': 'application/pdf' }).end('%PDF-1.7'),
});
const browsers = await browserPool(2, [site.host]);
afterAll(() => Promise.all([browsers, site].map((open) => open[Symbol.asyncDispose]())));

async function taken(path: string, wishes: Partial<RenderRequest>): Promise<Pictures> {
  const { answer, body } = await browsers.render(`${site.origin}${path}`, 60_000, {
    blockResources: false,
    ...wishes,
  });
  if (answer.outcome !== 'page') throw new Error(`${answer.code}: ${answer.message}`);
  return picturesFrom(body.subarray(answer.bytes), answer.pictures ?? {});
}

async function shot(
  path: string,
  screenshot: RenderRequest['screenshot'],
  wishes: Partial<RenderRequest> = {},
) {
  const picture = (await taken(path, { screenshot, ...wishes })).screenshot;
  if (!picture) throw new Error('There is no screenshot.');
  return picture;
}

describe('a screenshot', () => {
  test('shows the viewport, before and beside the whole DOM', async () => {
    const picture = await shot('/short', {});
    expect(picture).toMatchObject({ type: 'png', width: 1_920, height: 1_080 });
    const { width, height, at } = decodePng(picture.body);
    expect([width, height, at(900, 10), at(900, 500)]).toEqual([1_920, 1_080, GREEN, WHITE]);
  });

  test('shows a full page with its lazy pictures, one head at the top and one bar at the bottom', async () => {
    const { width, height, at } = decodePng((await shot('/long', { full_page: true })).body);
    expect([width, height]).toEqual([1_920, 4_390]);
    expect([at(900, 10), at(900, 1_080 - 10), at(900, 1_100)]).toEqual([GREEN, WHITE, WHITE]);
    expect([at(100, 3_100), at(100, 4_200), at(900, 4_300)]).toEqual([RED, BLUE, RED]);
    expect([at(900, 4_380), at(900, 4_360)]).toEqual([BLUE, BLUE]);
  });

  test('shows a bar at the bottom that is a form with a control named "style"', async () => {
    const { height, at } = decodePng((await shot('/named', { full_page: true })).body);
    expect([at(900, 1_080 - 10), at(900, height - 10)]).toEqual([WHITE, BLUE]);
  });

  test(
    'of a page of 18,000 lines is joined from tiles, without a seam',
    { timeout: 60_000, tags: ['soak'] },
    async () => {
      const { height, at } = decodePng((await shot('/tall', { full_page: true, width: 1_000 })).body);
      expect(height).toBe(18_000);
      for (let n = 0; n < 18; n += 1)
        for (const y of [0, 500, 999])
          expect(at(500, n * 1_000 + y), `${n}`).toEqual([n * 10, 0, 255 - n * 10]);
    },
  );

  test('shows one element, not covered by the head', async () => {
    const picture = await shot('/short', { selector: '#it' });
    const { at } = decodePng(picture.body);
    expect([picture.width, picture.height, at(2, 2), at(198, 98)]).toEqual([200, 100, RED, RED]);
  });

  test('is dark, and has the width, height and scale that it is to have', async () => {
    const { width, height, at } = decodePng(
      (await shot('/short', { dark: true, width: 800, height: 600, scale: 2 })).body,
    );
    expect([width, height, at(900, 500)]).toEqual([1_600, 1_200, BLACK]);
  });

  test('of a mobile device has its pixels', async () => {
    const picture = await shot('/short', { type: 'jpeg', quality: 50 }, { device: 'mobile' });
    expect(picture).toMatchObject({ type: 'jpeg', width: 1_082, height: 2_402 });
    expect([...picture.body.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  });

  test('is a webp', async () => {
    const picture = await shot('/short', { type: 'webp', width: 640, height: 480 });
    expect(picture).toMatchObject({ width: 640, height: 480 });
    expect(Buffer.from(picture.body).toString('latin1', 8, 12)).toBe('WEBP');
  });

  test('of an element that is not there is not taken', async () => {
    await expect(shot('/short', { selector: '#nothing' })).rejects.toThrow(
      "not_convertible: No visible element matches '#nothing'",
    );
  });

  test('of more than a type can hold is not taken', async () => {
    await expect(shot('/tall', { full_page: true, type: 'webp' })).rejects.toThrow(
      'not_convertible: The picture would have 1920 × 18000 pixels',
    );
  });

  test('of a file is not taken', async () => {
    expect(await taken('/file', { screenshot: {} })).toEqual({});
  });

  test('is taken after a scenario, and of a page that is not waited for', async () => {
    const jsScenario = { instructions: [{ evaluate: 'document.body.style.background = "blue"' }] };
    const { at } = decodePng((await shot('/short', {}, { jsScenario, waitUntil: 'load' })).body);
    expect(at(900, 500)).toEqual(BLUE);
  });
});

describe('a pdf', () => {
  const pdfOf = async (pdf: RenderRequest['pdf']) => {
    const { pdf: printed } = await taken('/print', { pdf });
    return Buffer.from(printed?.body ?? []).toString('latin1');
  };
  const pagesOf = (pdf: string) => pdf.match(/\/Type\s*\/Page\b/g)?.length;

  test('has the pages of the document, its links and tags, on A4', async () => {
    const pdf = await pdfOf({});
    expect([pdf.slice(0, 5), pagesOf(pdf)]).toEqual(['%PDF-', 3]);
    expect(pdf).toMatch(/MediaBox\s*\[0 0 59\d(\.\d+)? 84\d/);
    for (const part of ['https://example.com/', '/StructTreeRoot']) expect(pdf).toContain(part);
  });

  test('has the paper and the pages that it is to have', async () => {
    const pdf = await pdfOf({ paper: 'Letter', landscape: true, page_ranges: '2-3' });
    expect(pagesOf(pdf)).toBe(2);
    expect(pdf).toMatch(/MediaBox\s*\[0 0 792 612\]/);
  });

  test('without such pages, or with margins that fill the paper, is not printed', async () => {
    await expect(pdfOf({ page_ranges: '7' })).rejects.toThrow(
      'not_convertible: The document has no such pages',
    );
    await expect(pdfOf({ paper: 'a6', margin: 100 })).rejects.toThrow('not_convertible: The margins');
  });
});

test('a screenshot and a pdf come from one visit', async () => {
  const before = site.asked.length;
  const { screenshot, pdf } = await taken('/print', { screenshot: { type: 'jpeg' }, pdf: {} });
  expect([screenshot?.type, Buffer.from(pdf?.body ?? []).toString('latin1', 0, 4)]).toEqual(['jpeg', '%PDF']);
  expect(site.asked.slice(before).filter((path) => path === '/print')).toHaveLength(1);
});
