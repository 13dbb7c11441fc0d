import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';
import { threadConverter } from '../../shared/adapters/thread-converter.ts';
import type { AppError } from '../../shared/errors.ts';
import type { Conversion } from '../../shared/contract/scrape/output.ts';
import { inflatingTo, pdfOf } from '../fixtures/documents/pdf.ts';
import { PAGE_URL } from '../support/world/converted.ts';
import { extent } from '../support/world/extent.ts';
import { expectNotToWait, passed } from '../support/world/past-its-deadline.ts';

const folder = mkdtempDisposableSync(join(tmpdir(), 'thread-'));
afterAll(() => folder.remove());
const script = bundled(new URL('../../shared/output/thread.ts', import.meta.url));

/** In one file, as deployed: each thread would take most of a second to load the modules. */
function bundled(entry: URL): URL {
  const outfile = join(folder.path, 'thread.mjs');
  const options = { bundle: true, platform: 'node', format: 'esm', outfile } as const;
  // Bundled CommonJS packages call require for Node's own modules.
  const js =
    "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);";
  buildSync({ entryPoints: [fileURLToPath(entry)], ...options, banner: { js } });
  return pathToFileURL(outfile);
}

const forever = { orgId: 'org', signal: new AbortController().signal };
const page = (html: string, wanted: Partial<Conversion> = {}): Conversion => ({
  body: Buffer.from(html),
  contentType: 'text/html',
  url: PAGE_URL,
  outputs: ['text'],
  scope: 'full',
  ...wanted,
});
/** A thread that runs this code, and then says that it is ready. */
const threadOf = (code: string) => {
  const whole = `import { parentPort } from 'node:worker_threads'; ${code}; parentPort.postMessage('ready');`;
  return new URL(`data:text/javascript,${encodeURIComponent(whole)}`);
};
const many = (part: string, count: number) => part.repeat(count);

describe('a page', () => {
  const convert = threadConverter({ script, timeoutMs: 60_000 });

  test('is converted in a thread, like others at the same time', async () => {
    const converted = await Promise.all(['a', 'b', 'c'].map((word) => convert(page(`<p>${word}`), forever)));
    expect(converted.map(({ text }) => text)).toEqual(['a\n', 'b\n', 'c\n']);
  });

  test('has all of its time once the code of its thread is loaded', async () => {
    const slow = threadOf(`
      await new Promise((go) => setTimeout(go, 2_500));
      parentPort.on('message', () => parentPort.postMessage({ outcome: 'converted', converted: { text: 'x' } }));
    `);
    const late = threadConverter({ script: slow, timeoutMs: 2_000 });
    expect(await late(page('<p>x'), forever)).toEqual({ text: 'x' });
  });

  test('has all of its time while its function is held up', async () => {
    const late = threadOf(`
      const answer = { outcome: 'converted', converted: { text: 'x' } };
      parentPort.on('message', () => setTimeout(() => parentPort.postMessage(answer), 500));
    `);
    const quick = threadConverter({ script: late, timeoutMs: 3_000 });
    await quick(page('<p>first'), forever);
    const converted = quick(page('<p>x'), forever);
    await setTimeout(100);
    // The answer waits to be read.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500);
    expect(await converted).toEqual({ text: 'x' });
  });

  test('has all of its time while its thread waits for the processor', async () => {
    const late = threadOf(`
      const answer = { outcome: 'converted', converted: { text: 'x' } };
      parentPort.on('message', () => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
        parentPort.postMessage(answer);
      });
    `);
    const quick = threadConverter({ script: late, timeoutMs: 1_000 });
    expect(await quick(page('<p>x'), forever)).toEqual({ text: 'x' });
  });

  test('does not wait longer than its deadline while another one is converted', async () => {
    const other = convert(page('<p>other'), forever);
    await expectNotToWait(convert(page('<p>late'), { ...forever, signal: passed }), other);
  });

  test('whose type is given twice is of the last one', async () => {
    const contentType = 'text/plain, text/html; charset=utf-8';
    expect(await convert(page('<p>x', { contentType }), forever)).toMatchObject({ text: 'x\n' });
  });

  test.each([
    ['broken', 'This PDF file is damaged', page('%PDF-1.7', { contentType: 'application/pdf' })],
    ['type', 'This page is application/pdf', page('\x89PNG', { contentType: 'application/pdf' })],
    ['type', 'This page is image/png', page('\x89PNG', { contentType: 'image/png' })],
    [
      'type',
      'This page is text/plain; charset=utf-8',
      page('x', { contentType: 'text/plain; charset=utf-8' }),
    ],
    ['type', 'This page is application/json', page('{}', { contentType: 'application/json' })],
    ['type', 'This page is of unknown type', page('no markup', { contentType: undefined })],
    ['depth', 'nested too deeply', page(many('<div>', 100_000))],
    ['rule', "rule 'a'", page('<p>a', { outputs: ['extract'], rules: { a: '//p[unknown(.)]' } })],
    [
      'required',
      "rule 'price'",
      page('<p>a', { outputs: ['extract'], rules: { price: { selector: 'b', required: true } } }),
    ],
  ])('without such parts is not convertible: %s, "%s"', async (reason, message, unfit) => {
    const failure = await convert(unfit, forever).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'not_convertible', fields: { reason } });
    expect((failure as Error).message).toContain(message);
  });

  test('without a type is converted if it looks like HTML', async () => {
    expect(await convert(page('<!doctype html><p>a', { contentType: undefined }), forever)).toMatchObject({
      text: 'a\n',
    });
  });
});

describe('structured data', () => {
  const convert = threadConverter({ script, timeoutMs: 60_000 });
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const inList = (levels: number) => `{"x":${'['.repeat(levels)}1${']'.repeat(levels)}}`;
  const pageWith = (json: string) =>
    page(`<title>t</title><script type="application/ld+json">${json}</script>`, { outputs: ['metadata'] });

  test.each(extent([64, 65, 30_000], [64, 65, 1_000, 30_000, 1_000_000]))(
    'nested %i deep ends no thread',
    async (levels) => {
      for (const json of [nested(levels), inList(levels - 1)]) {
        const { metadata } = await convert(pageWith(json), forever);
        const kept = { title: 't', json_ld: [JSON.parse(json) as unknown] };
        expect(metadata).toEqual(levels > 64 ? { title: 't', json_ld_omitted: 1 } : kept);
      }
    },
  );
});

describe('a page of elements within elements', () => {
  const convert = threadConverter({ script, timeoutMs: 20_000 });

  test.each(extent(['pre><div'], ['div', 'section', 'pre><div']))(
    '<%s> is converted in time',
    async (names) => {
      const close = `</${names.split('><').toReversed().join('></')}>`;
      const html = `${many(`<${names}>`, 500)}x${many(close, 500)}`;
      const wanted: Partial<Conversion> = { outputs: ['markdown'], scope: 'auto' };
      const count = extent(8, 20);
      const { markdown } = await convert(page(many(html, count), wanted), forever);
      expect(markdown?.match(/x/g)).toHaveLength(count);
    },
  );
});

/** A thread that answers no page that says so. */
const thread = threadOf(`
  parentPort.on('message', ({ body }) => {
    const text = Buffer.from(body).toString();
    for (; text === 'endless';);
    parentPort.postMessage({ outcome: 'converted', converted: { text } });
  });
`);

test('pages of several organizations are converted while one of another organization takes all of its time', async () => {
  const convert = threadConverter({ script: thread, timeoutMs: 60_000 });
  const scrape = new AbortController();
  const slow = convert(page('endless'), { orgId: 'slow', signal: scrape.signal });
  const waiting = convert(page('waits'), { orgId: 'slow', signal: scrape.signal });
  const outcomes = Promise.allSettled([slow, waiting]);
  for (const text of ['a', 'b', 'c'])
    expect(await convert(page(text), { ...forever, orgId: 'other' })).toEqual({ text });
  scrape.abort(new Error('the scrape has ended'));
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await convert(page('d'), { ...forever, orgId: 'slow' })).toEqual({ text: 'd' });
});

test('pages of several organizations have their own time, also beside one another', async () => {
  const convert = threadConverter({ script: thread, timeoutMs: 500 });
  const begun = performance.now();
  const ended = ['one', 'other'].map(async (orgId) => {
    const failure = await convert(page('endless'), { ...forever, orgId }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'not_convertible', fields: { reason: 'time' } });
    return performance.now() - begun;
  });
  // Each has half of the processor.
  expect(Math.max(...(await Promise.all(ended)))).toBeGreaterThanOrEqual(900);
});

const large = page(many('<p class="a">some words</p>', 300_000));

test('a page that is too much for the time ends the thread, and the next page has another', async () => {
  const convert = threadConverter({ script, timeoutMs: 300 });
  const [failure] = await Promise.all([convert(large, forever).catch((error: unknown) => error)]);
  expect(failure).toMatchObject({ code: 'not_convertible', fields: { reason: 'time' } });
  const patient = threadConverter({ script, timeoutMs: 60_000 });
  expect(await patient(page('<p>a'), forever)).toMatchObject({ text: 'a\n' });
});

test('a page that is too much for a thread that fails afterwards takes neither the function nor the next page along', async () => {
  const late = threadOf(`
    parentPort.on('message', () => {
      parentPort.postMessage({ outcome: 'converted', converted: { text: 'a' } });
      setImmediate(() => { throw new Error('Too late.'); });
    });
  `);
  const convert = threadConverter({ script: late, timeoutMs: 60_000 });
  // The end of a thread may come before its answer is read, or while it has the next page.
  const converted = () => convert(page('<p>a'), forever).catch(() => undefined);
  for (let count = 0; count < 3; count += 1) await expect.poll(converted).toEqual({ text: 'a' });
});

test('a page that is too much for the memory does not take the function along', async () => {
  const convert = threadConverter({ script, timeoutMs: 60_000, memoryMb: 32 });
  const failure = await convert(large, forever).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'not_convertible', fields: { reason: 'memory' } });
  expect(await convert(page('<p>a'), forever)).toMatchObject({ text: 'a\n' });
});

test('a page that is too much with 50 MB is refused with a reason', async () => {
  const convert = threadConverter({ script });
  const outputs = ['text', 'markdown', 'links', 'metadata'] as const;
  const html = many('<p>some words of a page that is long</p>', 1_300_000);
  const failure = await convert(page(html, { outputs: [...outputs], scope: 'auto' }), forever).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    code: 'not_convertible',
    fields: { reason: expect.stringMatching(/^(?:memory|time)$/) as string },
  });
});

test('a page that is too much for the scrape itself fails with the reason of that', async () => {
  const convert = threadConverter({ script, timeoutMs: 60_000 });
  const scrape = new AbortController();
  const failure = convert(large, { ...forever, signal: scrape.signal }).catch((error: unknown) => error);
  scrape.abort(new Error('the scrape has ended'));
  expect(await failure).toMatchObject({ message: 'the scrape has ended' });
  expect(await convert(page('<p>a'), forever)).toMatchObject({ text: 'a\n' });
});

describe('a document', () => {
  const convert = threadConverter({ script });
  const document = (body: Buffer): Conversion => ({ ...page('', { contentType: 'application/pdf' }), body });
  const [words, bomb] = [
    pdfOf([{ texts: [{ text: 'words', x: 50, y: 700 }] }]),
    pdfOf([{ deflated: inflatingTo(900) }]),
  ];

  test('is read in the thread, and leaves it to the next page', async () => {
    const texts = await Promise.all([document(words), page('<p>a')].map((each) => convert(each, forever)));
    expect(texts).toMatchObject([
      { text: 'words\n', document: { kind: 'text', pages: 1, read: 1 } },
      { text: 'a\n' },
    ]);
  });

  test('of pictures needs their text recognised', async () => {
    const scan = convert(document(pdfOf([{ image: true }])), forever);
    await expect(scan).rejects.toMatchObject({
      code: 'needs_ocr',
      message: expect.stringContaining('Pages 1 ') as string,
    });
  });

  test('that is damaged on all of its pages is broken, and leaves its thread to the next page', async () => {
    const link = { url: 'https://example.org/', rect: [0, 0, 9, 9] } as const;
    const whole = pdfOf(['a', 'b', 'c'].map((text) => ({ texts: [{ text, x: 50, y: 700 }], links: [link] })));
    const cut = whole.toString('latin1').replaceAll(/(\/Annots \[.*)\] \/Res/g, '$1  /Res');
    const damaged = document(Buffer.from(cut, 'latin1'));
    for (let count = 0; count < 3; count += 1) {
      await expect(convert(damaged, forever)).rejects.toMatchObject({ fields: { reason: 'broken' } });
      expect(await convert(document(words), forever)).toMatchObject({ text: 'words\n' });
    }
  });

  test('that inflates to more than memory ends its thread, and no other page', async () => {
    const failure = await convert(document(bomb), forever).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'not_convertible' });
    expect(['memory', 'time']).toContain((failure as AppError).fields['reason']);
    expect(await convert(document(words), forever)).toMatchObject({ text: 'words\n' });
  });
});
