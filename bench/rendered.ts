import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { isolates } from '../functions/browser/launch/isolates.ts';
import { serveRender } from '../functions/browser/serve.ts';
import { unpackChromium } from '../infra/constructs/unpack-chromium.ts';
import type { RenderRequest } from '../shared/contract/scrape/messages.ts';
import { openRequestLog } from '../shared/observe/request-log.ts';
import { renderAnswerIn } from '../test/support/browser/render-answer.ts';

/** The code of the browser function in this process, where no environment ends after 500 scrapes. */
export async function openRenderer(allow: string) {
  const browsers = isolates({
    chromiumDir: await unpackChromium(),
    policy: { allow: [allow] },
    processes: 'one',
  });
  return {
    async render(url: string, wishes: Partial<RenderRequest> = {}) {
      const stream = new PassThrough();
      const read = buffer(stream);
      await serveRender(
        browsers,
        { requestId: 'bench', url, timeoutMs: 20_000, ...wishes },
        stream,
        openRequestLog(),
      );
      const { answer, body } = renderAnswerIn(await read);
      if (answer.outcome !== 'page') throw new Error(JSON.stringify(answer));
      return { ...answer, body: body.toString() };
    },
    /** What the function does after its response. */
    rest: () => browsers.keepWarm(),
    [Symbol.asyncDispose]: () => browsers[Symbol.asyncDispose](),
  };
}
