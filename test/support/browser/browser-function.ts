import { buffer } from 'node:stream/consumers';
import { stages } from '../../../infra/stages.ts';
import type { z } from 'zod';
import type { RenderRequest } from '../../../shared/contract/scrape/messages.ts';
import { loneBrowser } from './lone-browser.ts';
import { renderAnswerIn } from './render-answer.ts';

type RenderOptions = z.input<typeof RenderRequest>;

type Options = {
  taskRoot: string;
  chromiumDir: string;
  /** `host:port` that may be reached. */
  allow: string;
  /** Further pages wait. */
  maxEnvironments?: number;
  processes?: 'one' | 'many';
};

/** The deployed browser function, alone behind a server that speaks Lambda's Runtime API. */
export async function browserFunction({
  taskRoot,
  chromiumDir,
  allow,
  maxEnvironments = 8,
  processes = 'one',
}: Options) {
  const lone = await loneBrowser({
    taskRoot,
    timeoutSeconds: 60,
    memoryMb: stages.dev.memory.browser,
    maxEnvironments,
    variables: { EGRESS_ALLOW: allow, CHROMIUM_DIR: chromiumDir, BROWSER_PROCESSES: processes },
  });
  const { lambda, lines } = lone;
  return {
    /** Milliseconds that Lambda bills for its scrapes so far. */
    billed: () => lines.flatMap(billedMs),
    warmUp: () => lambda.warmUp(),
    pids: () => lambda.pids(),
    idle: () => lambda.idle(),
    /** Throws the function's error. */
    render: async (url: string, options: Pick<RenderOptions, 'waitUntil'> = {}): Promise<string> => {
      const event = JSON.stringify({ requestId: 'request', url, timeoutMs: 30_000, ...options });
      const { body, fault } = await lambda.invoke(event);
      const bytes = await buffer(body);
      if (!bytes.includes('\n'))
        throw new Error(`No response: ${(await fault)?.errorMessage ?? 'empty'}\n${lines.join('\n')}`);
      const { answer, body: page } = renderAnswerIn(bytes);
      if (answer.outcome === 'error') throw new Error(`${answer.code}: ${answer.message}`);
      return page.toString();
    },
    [Symbol.asyncDispose]: () => lone[Symbol.asyncDispose](),
  };
}

function billedMs(line: string): number[] {
  const { message, ms } = JSON.parse(line) as { message?: string; ms?: number };
  return message === 'render' && ms !== undefined ? [ms] : [];
}

export type BrowserFunction = Awaited<ReturnType<typeof browserFunction>>;
