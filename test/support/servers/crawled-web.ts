import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { bodyOf, type Resource } from '../../fixtures/crawls/resource.ts';
import type { Host, Web } from '../../fixtures/crawls/web.ts';
import { keyOf } from '../../fixtures/crawls/key-of.ts';
import { targetServer } from './target-server.ts';

/** A request, with milliseconds since the start of the process. */
export type Visit = { host: string; path: string; status: number; beganAt: number; endedAt: number };

/** Serves a web of many hosts, and notes every request. */
export async function crawledWeb({ hosts }: Pick<Web, 'hosts'>) {
  await using starting = new AsyncDisposableStack();
  const visits: Visit[] = [];
  for (const host of hosts) {
    const { answer } = answering(host, visits);
    const { address } = host;
    starting.use(await targetServer(answer, { address, port: Number(new URL(host.origin).port) }));
  }
  const running = starting.move();
  return { visits, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

const RETRY_AFTER_S = '1';
/** Files about the site come, even while its pages do not. */
const isAbout = (path: string) => /^\/(robots\.txt|sitemap)/.test(path);

function answering(host: Host, visits: Visit[]) {
  let openFrom: number | undefined;

  function throttles(path: string): boolean {
    if (host.throttledMs === undefined || isAbout(path)) return false;
    openFrom ??= performance.now() + host.throttledMs;
    return performance.now() < openFrom;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = resolved(request.url ?? '/');
    const visit: Visit = { host: host.name, path, status: 0, beganAt: performance.now(), endedAt: Infinity };
    visits.push(visit);
    response.once('close', () => (visit.endedAt = performance.now()));
    const it: Resource = throttles(path)
      ? { status: 429, headers: { 'Retry-After': RETRY_AFTER_S } }
      : (host.at(path) ?? { status: 404 });
    if (it.delayMs !== undefined) await wait(it.delayMs, undefined, { ref: false });
    const { status = 200, type = 'text/html; charset=utf-8', location, headers } = it;
    visit.status = status;
    response.writeHead(status, { 'Content-Type': type, ...(location && { Location: location }), ...headers });
    if (it.isEndless) await pipeline(endless(bodyOf(host.name, path, it)), response).catch(() => undefined);
    else response.end(bodyOf(host.name, path, it));
  }
  return { answer: (request: IncomingMessage, response: ServerResponse) => void answer(request, response) };
}

/** The path as the web spells it: without campaigns and sessions. */
const resolved = (target: string) => {
  const { pathname, search } = new URL(keyOf(`http://host${target}`));
  return pathname + search;
};

const ENDLESS = '# and so on, for as long as someone listens\n'.repeat(1_000);

function endless(head: string | Buffer): Readable {
  let isFirst = true;
  return new Readable({
    read() {
      this.push(isFirst ? head : ENDLESS);
      isFirst = false;
    },
  });
}
