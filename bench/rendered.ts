import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { isolates } from '../functions/browser/isolate/isolates.ts';
import { serveRender } from '../functions/browser/serve-render.ts';
import { unpackChromium } from '../infra/constructs/unpack-chromium.ts';
import { RenderAnswer } from '../shared/contract/messages.ts';
import { openTrail } from '../shared/observe/trail.ts';

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

  /** Undefined if the browser returns no page. */
  async function render(id: string, body: Uint8Array): Promise<Uint8Array | undefined> {
    pages.set(`/${id}`, body);
    const stream = new PassThrough();
    const read = buffer(stream);
    const event = { requestId: id, url: `http://${host}/${id}`, timeoutMs: TIMEOUT_MS };
    await serveRender(browsers, event, stream, openTrail());
    const bytes = await read;
    const end = bytes.indexOf('\n');
    const answer = RenderAnswer.parse(JSON.parse(bytes.toString('utf8', 0, end)));
    if (answer.outcome !== 'page') return undefined;
    const sent = bytes.subarray(end + 1);
    return answer.encoding ? gunzipSync(sent) : sent;
  }
  return {
    render,
    async [Symbol.asyncDispose]() {
      await browsers[Symbol.asyncDispose]();
      server.close();
    },
  };
}
