import { InvokeCommand } from '@aws-sdk/client-lambda';
import { RenderAnswer, RenderRequest } from '../../shared/contract/scrape/messages.ts';
import type { BrowserFunction } from './browser-function.ts';

const TIMEOUT_MS = 30_000;
/** A tenant of its own, so that it shares no environment with an organization. */
const TENANT = 'smoke-test';
const WORDS = {
  one: 'Chromium renders in one process.',
  many: 'Chromium renders in several processes.',
} as const;

/** How the function started Chromium, in words. Throws if it failed or did not respond. */
export async function chromiumStart(browser: BrowserFunction, url: string): Promise<string> {
  const request: RenderRequest = RenderRequest.parse({ requestId: TENANT, url, timeoutMs: TIMEOUT_MS });
  const Payload = Buffer.from(JSON.stringify(request));
  const command = { FunctionName: browser.name, Payload };
  const answer = await browser.client.send(new InvokeCommand(command)).catch((error: unknown) => {
    // The error of a function with tenant isolation, which only an invocation reveals.
    if (!(error instanceof Error) || error.name !== 'InvalidParameterValueException') throw error;
    return browser.client.send(new InvokeCommand({ ...command, TenantId: TENANT }));
  });
  const [line = ''] = Buffer.from(answer.Payload ?? [])
    .toString()
    .split('\n', 1);
  const { processes } = RenderAnswer.parse(JSON.parse(line));
  if (processes === undefined)
    throw new Error('Chromium does not start. See docs/runbook.md#chromium-does-not-start');
  return WORDS[processes];
}
