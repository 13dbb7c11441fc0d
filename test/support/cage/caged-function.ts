import { buffer } from 'node:stream/consumers';
import { unpackChromium } from '../../../infra/constructs/unpack-chromium.ts';
import { runtimeFile } from '../../../local/lambda/start-runtime.ts';
import type { RenderRequest } from '../../../shared/contract/scrape/messages.ts';
import { loneBrowser } from '../browser/lone-browser.ts';
import { renderAnswerIn } from '../browser/render-answer.ts';
import { openCage } from './cage.ts';
import { STAGE_LIMITS } from './stage-limits.ts';

type Options = {
  /** The folder of its code. */
  taskRoot: string;
  /** `host:port,…` that may be reached. */
  allow?: string;
  variables?: Record<string, string>;
  limits?: { memoryMb: number; temporaryMb: number };
  /** Paths that its code reads besides itself, by their path inside. */
  readable?: Readonly<Record<string, string>>;
};

export type CagedFunction = Awaited<ReturnType<typeof cagedFunction>>;

/** One environment of a function at a time, in a cage. The server of Lambda's Runtime API runs outside it. */
export async function cagedFunction(options: Options) {
  const { taskRoot, allow = '', variables = {}, limits = STAGE_LIMITS, readable = {} } = options;
  const cage = await openCage({
    ...limits,
    readable: {
      ...readable,
      [runtimeFile()]: runtimeFile(),
      [taskRoot]: taskRoot,
      '/opt/chromium': await unpackChromium(),
    },
  });
  const lone = await loneBrowser({
    taskRoot,
    timeoutSeconds: 130,
    memoryMb: limits.memoryMb,
    maxEnvironments: 1,
    variables: {
      AWS_LAMBDA_EXEC_WRAPPER: cage.wrapper,
      PATH: '/usr/bin:/bin',
      BROWSER_PROCESSES: 'one',
      EGRESS_ALLOW: allow,
      ...variables,
    },
  });
  const { lambda, lines } = lone;
  /** The handler's response, unchanged. Throws the fault that Lambda would report. */
  async function invoke(event: unknown): Promise<Buffer> {
    const { body, fault } = await lambda.invoke(JSON.stringify(event));
    const bytes = await buffer(body);
    const { errorType, errorMessage } = (await fault) ?? {};
    if (errorType !== undefined) throw new Error(`${errorType}: ${errorMessage}\n${lines.join('\n')}`);
    return bytes;
  }

  return {
    cage,
    /** The lines of its log. */
    lines,
    warmUp: () => lambda.warmUp(),
    pids: () => lambda.pids(),
    invoke,
    /** The response of the browser function. */
    async render(url: string, timeoutMs = 20_000, wishes: Partial<RenderRequest> = {}) {
      const bytes = await invoke({ requestId: 'cage', url, timeoutMs, ...wishes });
      const { answer, body } = renderAnswerIn(bytes);
      return { answer, body, html: body.toString() };
    },
    async [Symbol.asyncDispose]() {
      await lone[Symbol.asyncDispose]();
      await cage[Symbol.asyncDispose]();
    },
  };
}
