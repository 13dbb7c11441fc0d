import {
  InvokeWithResponseStreamCommand,
  type InvokeWithResponseStreamResponseEvent,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { stepCounts } from '../../contract/scrape/js-scenario.ts';
import { RenderAnswer, RenderRequest } from '../../contract/scrape/messages.ts';
import { MAX_PAGE_BYTES, PageHead, type Page } from '../../contract/scrape/page.ts';
import { bytesOf, picturesFrom } from '../../contract/scrape/picture.ts';
import { renderedWith } from '../../contract/scrape/rendered-with.ts';
import { AppError, busy } from '../../errors.ts';
import type { RequestLog } from '../../observe/request-log.ts';
import type { GetPage, PremiumProxy } from '../../ports/scrape.ts';
import { isThrottled } from './lambda-throttling.ts';

type Options = {
  client: LambdaClient;
  functionName: string;
  /** Set if the function was created with it: each organization gets its own environments. */
  tenancy?: 'PER_TENANT' | undefined;
  premiumProxy: PremiumProxy;
};

/** The renderer's deadline is this much earlier, so that its response arrives in time. */
const ROUND_TRIP_MS = 250;
const LINE_FEED = 0x0a;
/** Above any scenario's report and what a capture keeps: JSON writes a control character as six. */
const MAX_HEAD_BYTES = 64_000_000;

/** Throws the function's error, `browser_crashed` for a cut-off response, `busy` when throttled. */
export function lambdaRenderer({ client, functionName, tenancy, premiumProxy }: Options): GetPage {
  return async (scrape, context) => {
    const { requestId, orgId, signal, deadlineAt, requestLog } = context;
    const upstreamUrl = await premiumProxy(scrape, context);
    const request = RenderRequest.parse({
      ...scrape,
      ...renderedWith(scrape),
      requestId,
      timeoutMs: scrape.timeout,
      deadlineAt: deadlineAt.getTime() - ROUND_TRIP_MS,
      upstreamUrl,
    });
    const command = new InvokeWithResponseStreamCommand({
      FunctionName: functionName,
      // Required with tenant isolation and rejected without it: https://docs.aws.amazon.com/lambda/latest/dg/tenant-isolation-invoke.html
      ...(tenancy && { TenantId: orgId }),
      Payload: Buffer.from(JSON.stringify(request)),
    });
    try {
      const { EventStream: events } = await client.send(command, { abortSignal: signal });
      if (!events) throw new Error('The function returned no response.');
      return await receivePage(events, requestLog);
    } catch (error) {
      throw faultOf(error, signal);
    }
  };
}

function faultOf(error: unknown, signal: AbortSignal): AppError {
  if (signal.aborted) {
    const { reason } = signal as { reason: unknown };
    if (reason instanceof AppError && reason.code !== 'timeout') return reason;
    return new AppError('timeout', { cause: reason, fields: { phase: 'render' } });
  }
  if (error instanceof AppError) return error;
  return isThrottled(error) ? busy(error) : new AppError('browser_crashed', { cause: error });
}

type Events = AsyncIterable<InvokeWithResponseStreamResponseEvent>;
type PageAnswer = Extract<RenderAnswer, { outcome: 'page' }>;

/** Resolves with the last byte of the page; reading on in the background frees the connection for reuse. */
function receivePage(events: Events, requestLog: RequestLog): Promise<Page> {
  const { promise, resolve, reject } = Promise.withResolvers<Page>();
  const cutOff = (cause?: unknown) =>
    reject(cause instanceof Error ? cause : new Error('The response was cut off.'));
  readAll(events, requestLog, resolve).then(() => cutOff(), cutOff);
  return promise;
}

async function readAll(events: Events, requestLog: RequestLog, deliver: (page: Page) => void): Promise<void> {
  let answer: PageAnswer | undefined;
  let chunks: Uint8Array[] = [];
  let missing = Infinity;
  let begunBytes = 0;
  for await (const { PayloadChunk: part, InvokeComplete: end } of events) {
    if (end?.ErrorCode) throw new Error(end.ErrorCode, { cause: end.ErrorDetails });
    if (!part?.Payload) continue;
    chunks.push(part.Payload);
    missing -= part.Payload.byteLength;
    if (!answer) {
      begunBytes += part.Payload.byteLength;
      const isWhole = part.Payload.includes(LINE_FEED);
      if (!isWhole && begunBytes > MAX_HEAD_BYTES) throw new Error('The response has no head.');
      const head = isWhole ? splitHead(Buffer.concat(chunks)) : undefined;
      if (!head) continue;
      answer = pageAnswer(head.line, requestLog);
      chunks = [head.rest];
      missing = answer.bytes + bytesOf(answer.pictures) - head.rest.byteLength;
    }
    if (missing < 0) throw new Error('The response is longer than its declared length.');
    if (missing === 0) deliver(await pageOf(answer, Buffer.concat(chunks)));
  }
}

async function pageOf(answer: PageAnswer, sent: Buffer): Promise<Page> {
  const body = await unpacked(sent.subarray(0, answer.bytes), answer);
  const pictures = answer.pictures && picturesFrom(sent.subarray(answer.bytes), answer.pictures);
  return { ...headOf(answer), body, ...(pictures && { pictures }) };
}

function headOf(answer: PageAnswer): Omit<Page, 'body'> {
  const { report, captured, headers } = answer;
  const scenario = report && { report, scenario: stepCounts(report) };
  return { ...PageHead.parse(answer), headers, ...scenario, ...(captured && { captured }) };
}

/** Limited, because untrusted code runs in the function that sends it. */
async function unpacked(body: Buffer, { encoding }: PageAnswer): Promise<Uint8Array> {
  return encoding ? promisify(gunzip)(body, { maxOutputLength: MAX_PAGE_BYTES }) : body;
}

function splitHead(bytes: Buffer): { line: string; rest: Buffer } | undefined {
  const end = bytes.indexOf(LINE_FEED);
  return end < 0 ? undefined : { line: bytes.toString('utf8', 0, end), rest: bytes.subarray(end + 1) };
}

function pageAnswer(line: string, requestLog: RequestLog): PageAnswer {
  const answer = RenderAnswer.parse(JSON.parse(line));
  requestLog.attribute(answer.phases);
  if (answer.outcome === 'page') return answer;
  const { code, message, fields, report } = answer;
  throw new AppError(code, { message, fields, report });
}
