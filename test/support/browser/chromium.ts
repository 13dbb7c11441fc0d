import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { pid } from 'node:process';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inject } from 'vitest';
import { dispose, isolates, type Isolates } from '../../../functions/browser/launch/isolates.ts';
import { serveRender } from '../../../functions/browser/serve.ts';
import { unpackChromium } from '../../../infra/constructs/unpack-chromium.ts';
import { descendantsOf, processes } from '../../../local/lambda/process-tree.ts';
import { openRequestLog } from '../../../shared/observe/request-log.ts';
import type { RenderAnswer, RenderRequest } from '../../../shared/contract/scrape/messages.ts';
import { keptLog } from '../world/kept-log.ts';
import { renderAnswerIn } from './render-answer.ts';

/** `body` is decompressed; `sentBytes` were received; `fault` is the log's cause of an error. */
export type Rendered = {
  answer: RenderAnswer;
  fault: string | undefined;
  sentBytes: number;
  body: Buffer;
  html: string;
  ms: number;
};

/** The browser function's core with the deployed Chromium. Only `allow` may be reached. */
export async function openBrowsers(...allow: string[]) {
  return opened(allow, answerTo);
}

/** The same with the next browser started after each scrape, as the function does. */
export async function openWarmBrowsers(...allow: string[]) {
  return opened(allow, async (browsers, event) => {
    const rendered = await answerTo(browsers, event);
    await browsers.keepWarm();
    return rendered;
  });
}

/** Chromium ends so by itself once in tens of thousands of scrapes, which callers repeat too. */
const BY_ITSELF = /Chromium ended with SIG(?:TRAP|SEGV|ILL)\./;

async function opened(allow: string[], answerOnce: typeof answerTo) {
  const answer: typeof answerTo = async (...wanted) => {
    const first = await answerOnce(...wanted);
    if (!BY_ITSELF.test(first.fault ?? '')) return first;
    console.warn(first.fault);
    return answerOnce(...wanted);
  };
  const browsers = isolates({
    chromiumDir: await unpackChromium(),
    policy: { allow },
    processes: inject('processes'),
  });
  return {
    browsers,
    render: (url: string, timeoutMs = 20_000, wishes: Partial<RenderRequest> = {}) =>
      answer(browsers, { requestId: 'test', url, timeoutMs, ...wishes }),
    [Symbol.asyncDispose]: () => browsers[Symbol.asyncDispose](),
  };
}

/** The function's response to an event, read from its stream. */
export async function answerTo(browsers: Isolates, event: unknown): Promise<Rendered> {
  const stream = new PassThrough();
  const startedAt = performance.now();
  let ms = 0;
  const read = buffer(stream).then((bytes) => {
    ms = performance.now() - startedAt;
    return bytes;
  });
  const requestLog = openRequestLog();
  await serveRender(browsers, event, stream, requestLog);
  const { log, lines } = keptLog();
  requestLog.write(log, 'render');
  const fault = lines.map((line) => line.fault).find((each) => typeof each === 'string');
  const { answer, sent, body } = renderAnswerIn(await read);
  return { answer, fault, sentBytes: sent.byteLength, body, html: body.toString(), ms };
}

/** The version that Chromium reports. */
export async function chromiumVersion(browsers: Isolates): Promise<string> {
  const isolate = await browsers.take();
  const { product } = await isolate.browser.tab.session.send('Browser.getVersion');
  await dispose(isolate);
  return product.split('/')[1] ?? product;
}

/** Living processes that descend from this one and run Chromium. */
export async function chromiumProcesses(): Promise<number[]> {
  const rows = (await processes()).filter(({ isZombie }) => !isZombie);
  const commands = await Promise.all(
    descendantsOf(pid, rows).map(async (id) => [id, await commandOf(id)] as const),
  );
  return commands.filter(([, command]) => command.includes('/chromium')).map(([id]) => id);
}

/** The first of them that renders pages. */
export async function rendererOf(): Promise<number | undefined> {
  for (const id of await chromiumProcesses())
    if ((await commandOf(id)).includes('--type=renderer')) return id;
  return undefined;
}

export async function profiles(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith(`sitefetch-profile-${pid}-`));
}

const commandOf = (id: number) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
