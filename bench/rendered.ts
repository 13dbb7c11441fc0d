import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { isolates } from '../functions/browser/launch/isolates.ts';
import { serveRender } from '../functions/browser/serve.ts';
import { unpackChromium } from '../infra/constructs/unpack-chromium.ts';
import type { RenderRequest } from '../shared/contract/scrape/messages.ts';
import { openRequestLog } from '../shared/observe/request-log.ts';
import { renderAnswerIn } from '../test/support/render-answer.ts';

const TIMEOUT_MS = 20_000;

/**
 * Renders pages with the deployed Chromium from loopback. Their scripts, styles and data from elsewhere are
 * missing, so this shows what a browser makes of the same source, not what the site would show.
 */
export async function openRenderer() {
  const pages = new Map<string, Uint8Array>();
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? '');
    if (page) response.setHeader('Content-Type', 'text/html').end(page);
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browsers = isolates({
    chromiumDir: await unpackChromium(),
    policy: { allow: [host] },
    processes: 'one',
  });

  /** The page from loopback, with what else the browser function takes. */
  async function ask(id: string, body: Uint8Array, wishes: Partial<RenderRequest> = {}) {
    pages.set(`/${id}`, body);
    const stream = new PassThrough();
    const read = buffer(stream);
    const event = { requestId: id, url: `http://${host}/${id}`, timeoutMs: TIMEOUT_MS, ...wishes };
    await serveRender(browsers, event, stream, openRequestLog());
    return renderAnswerIn(await read);
  }
  return {
    ask,
    /** Undefined if the browser returns no page. */
    async render(id: string, body: Uint8Array): Promise<Uint8Array | undefined> {
      const { answer, body: rendered } = await ask(id, body);
      return answer.outcome === 'page' ? rendered : undefined;
    },
    async [Symbol.asyncDispose]() {
      await browsers[Symbol.asyncDispose]();
      server.close();
    },
  };
}
