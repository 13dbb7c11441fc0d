import { once } from 'node:events';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { exit } from 'node:process';
import { PassThrough, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import type { z } from 'zod';
import type { ScenarioReport } from '../../shared/contract/scrape/js-scenario.ts';
import { type RenderAnswer, RenderRequest } from '../../shared/contract/scrape/messages.ts';
import type { Page } from '../../shared/contract/scrape/page.ts';
import { headsOf } from '../../shared/contract/scrape/picture.ts';
import { AppError } from '../../shared/errors.ts';
import { gzipped } from '../../shared/gzip.ts';
import type { Log } from '../../shared/observe/log.ts';
import { type RequestLog, openRequestLog } from '../../shared/observe/request-log.ts';
import type { Count } from '../../shared/ports/effects.ts';
import { untilAborted } from '../../shared/time/until-aborted.ts';
import { type Isolates, discard, dispose } from './launch/isolates.ts';
import { renderTime } from './render-time.ts';
import { render } from './render.ts';

export type Lifetime = {
  scrapes: number;
  kills: number;
  freeBytes: number;
};

type Needs = { isolates: Isolates; log: Log; count: Count };

const LIFETIME: Lifetime = {
  // Ends any lasting compromise; a cold start in 500 scrapes costs each a few milliseconds.
  scrapes: 500,
  // A killed browser's children stay as zombies, and Lambda allows 1,024 processes and threads.
  kills: 50,
  // Shared memory is in /tmp: https://peter.sh/experiments/chromium-command-line-switches/#disable-dev-shm-usage
  freeBytes: 268_435_456,
};

/** Serves until the environment is spent or its browser fails, then exits. The next one sweeps /tmp. */
export function serveUntilSpent({ isolates, log, count }: Needs, lifetime = LIFETIME) {
  let scrapes = 0;
  let kills = 0;
  return async (event: unknown, stream: Writable): Promise<void> => {
    // Closes once the Runtime API has received the whole response.
    const acknowledged = once(stream, 'close').catch(() => undefined);
    const requestLog = openRequestLog();
    scrapes += 1;
    try {
      const { wasKilled } = await serveRender(isolates, event, stream, requestLog);
      if (wasKilled) kills += 1;
      const free = await freeBytes();
      count('TmpFree', free);
      if (scrapes < lifetime.scrapes && kills < lifetime.kills && free >= lifetime.freeBytes) {
        requestLog.enter('relaunch');
        if (await isolates.keepWarm()) return;
      }
    } catch (error) {
      requestLog.fail(error);
    } finally {
      requestLog.write(log, 'render');
    }
    await acknowledged;
    exit(0);
  };
}

/** For `sam local invoke`, which cannot stream. */
export async function serveBuffered(isolates: Isolates, log: Log, event: unknown): Promise<string> {
  const stream = new PassThrough();
  const requestLog = openRequestLog();
  const [answer] = await Promise.all([text(stream), serveRender(isolates, event, stream, requestLog)]);
  requestLog.write(log, 'render');
  return answer;
}

async function freeBytes(): Promise<number> {
  const { bavail, bsize } = await statfs(tmpdir());
  return bavail * bsize;
}

type Served = { answer: z.input<typeof RenderAnswer>; bodies: Uint8Array[]; end: () => Promise<void> };

/** A timeout here means that the browser was not ready in time. */
const LAUNCHING = { phase: 'render' };

/** Lambda streams 6 MB at full speed and the rest at 2 MB/s. https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html */
const FAST_BYTES = 6_000_000;
/** The fastest, because the response waits for it. */
const PACKED = { level: 1 };

/** Rejects only if the browser survives SIGKILL; then this process must end too. */
export async function serveRender(
  isolates: Isolates,
  event: unknown,
  stream: Writable,
  requestLog: RequestLog,
): Promise<{ wasKilled: boolean }> {
  requestLog.note({ processes: isolates.processes });
  const { answer, bodies, end } = await serve(isolates, event, requestLog);
  const { processes } = isolates;
  stream.write(`${JSON.stringify({ ...answer, processes, phases: requestLog.phases() })}\n`);
  for (const body of bodies) stream.write(body);
  stream.end();
  requestLog.enter('close');
  await Promise.all([finished(stream).catch(() => undefined), end()]);
  return { wasKilled: answer.outcome === 'error' };
}

async function serve(isolates: Isolates, event: unknown, requestLog: RequestLog): Promise<Served> {
  const request = RenderRequest.safeParse(event);
  if (!request.success)
    return failed(new AppError('internal', { cause: request.error }), () => Promise.resolve());
  requestLog.note({ requestId: request.data.requestId, url: request.data.url });
  requestLog.enter('launch');
  const { timeoutMs, deadlineAt = Infinity } = request.data;
  const hasPictures = (request.data.screenshot ?? request.data.pdf) !== undefined;
  const time = renderTime(Math.max(0, Math.min(timeoutMs, deadlineAt - Date.now())), hasPictures);
  const { signal } = time;
  // Retried once: the target has received nothing yet.
  const taking = isolates.take().catch(() => isolates.take());
  try {
    const isolate = await untilAborted(taking, signal);
    if (request.data.upstreamUrl !== undefined) isolate.guard.goThrough(request.data.upstreamUrl);
    const page = await render(request.data, isolate.browser, isolate.guard, time, requestLog);
    requestLog.note({ targetStatus: page.status, bytes: page.body.byteLength });
    return { ...(await delivered(page)), end: () => dispose(isolate) };
  } catch (cause) {
    const error =
      cause instanceof AppError
        ? cause
        : signal.aborted
          ? new AppError('timeout', { cause, fields: LAUNCHING })
          : new AppError('browser_crashed', { cause });
    requestLog.fail(error);
    return failed(error, () => taking.then(discard, () => undefined));
  }
}

async function delivered({ body, pictures, ...head }: Page): Promise<Omit<Served, 'end'>> {
  const packed = body.byteLength > FAST_BYTES ? await gzipped(body, PACKED) : undefined;
  const sent = packed ?? body;
  const encoding = packed && ({ encoding: 'gzip' } as const);
  const announced = pictures && { pictures: headsOf(pictures) };
  return {
    answer: { outcome: 'page', ...head, ...announced, bytes: sent.byteLength, ...encoding },
    bodies: [sent, pictures?.screenshot?.body, pictures?.pdf?.body].filter((each) => each !== undefined),
  };
}

function failed({ code, message, fields, report }: AppError, end: Served['end']): Served {
  const scenario = report && { report: report as ScenarioReport };
  return { answer: { outcome: 'error', code, message, fields, ...scenario }, bodies: [], end };
}
