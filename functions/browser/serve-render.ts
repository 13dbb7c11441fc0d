import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { RenderRequest, type RenderAnswer } from '../../shared/contract/messages.ts';
import type { Page } from '../../shared/contract/page.ts';
import { AppError } from '../../shared/errors.ts';
import { discard, dispose, type Isolates } from './keep-warm.ts';
import { render } from './render.ts';
import { untilAborted } from './until-aborted.ts';

/** What became of a request, and the browser that has to be ended for it. */
type Served = { answer: RenderAnswer; body: Uint8Array; end: () => Promise<void> };

const NOTHING = new Uint8Array();

/**
 * Answers one request on the stream, ends its browser and starts the next one. Never throws for what a request or a
 * page does; rejects only if a browser survives SIGKILL, and then this process is of no more use.
 */
export async function serveRender(isolates: Isolates, event: unknown, stream: Writable): Promise<void> {
  const { answer, body, end } = await serve(isolates, event);
  stream.write(`${JSON.stringify(answer)}\n`);
  stream.end(body);
  // A reader that went away is no fault.
  await Promise.all([finished(stream).catch(() => undefined), end()]);
  await isolates.keepWarm();
}

async function serve(isolates: Isolates, event: unknown): Promise<Served> {
  const request = RenderRequest.safeParse(event);
  if (!request.success)
    return failed(new AppError('internal', { cause: request.error }), () => Promise.resolve());
  const signal = AbortSignal.timeout(request.data.timeoutMs);
  const taking = isolates.take();
  try {
    const isolate = await untilAborted(taking, signal);
    if (request.data.upstreamUrl !== undefined) isolate.guard.goThrough(request.data.upstreamUrl);
    const page = await render(request.data, isolate.browser, isolate.guard, signal);
    return { ...delivered(page), end: () => dispose(isolate) };
  } catch (cause) {
    const error =
      cause instanceof AppError
        ? cause
        : new AppError(signal.aborted ? 'timeout' : 'browser_crashed', { cause });
    return failed(error, () => taking.then(discard, () => undefined));
  }
}

function delivered({ body, ...head }: Page): Omit<Served, 'end'> {
  return { answer: { outcome: 'page', ...head, bytes: body.byteLength }, body };
}

function failed({ code, message }: AppError, end: Served['end']): Served {
  return { answer: { outcome: 'error', code, message }, body: NOTHING, end };
}
