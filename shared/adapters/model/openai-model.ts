import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { ValueSchema } from '../../contract/scrape/extraction.ts';
import type { Message } from '../../domain/scrape/extraction/prompt.ts';
import { openGuard } from '../../egress/guard.ts';
import { exchange } from '../../egress/post.ts';
import { AppError, toAppError } from '../../errors.ts';
import type { Completion, ModelEffects } from '../../ports/scrape.ts';
import { untilAborted } from '../../time/until-aborted.ts';
import { modelTimeout } from './model-timeout.ts';

type Options = {
  /** Of the operator; `/chat/completions` follows. */
  baseUrl: string;
  name: string;
  /** How the endpoint takes a schema beside the prompt. */
  structured: 'json_schema' | 'json_object' | 'none';
  /** Undefined if the endpoint needs none. */
  readKey: () => Promise<string | undefined>;
  /** Trusted besides Node's own authorities. */
  ca?: readonly string[];
};

/** Far above an answer of the longest values. */
const MAX_BYTES = 4_000_000;
/** Seconds until another call may work, and what is passed on of a longer wish. */
const [RETRY_SECONDS, MAX_RETRY_SECONDS] = [1, 600];

const Tokens = z.int().nonnegative().catch(0);
const Text = z.union([
  z.string(),
  z.null().transform(() => ''),
  z
    .array(z.object({ text: z.string().default('') }))
    .transform((parts) => parts.map(({ text }) => text).join('')),
]);

/** https://platform.openai.com/docs/api-reference/chat/object, as far as all that is compatible agrees. */
const Answer = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: Text.default(''), refusal: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: Tokens, completion_tokens: Tokens }).catch({
    prompt_tokens: 0,
    completion_tokens: 0,
  }),
});

/** A model behind an OpenAI-compatible endpoint, whose redirects are not followed. */
export function openaiModel({ baseUrl, name, structured, readKey, ca }: Options): ModelEffects['complete'] {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/chat/completions`);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const policy = { allow: [`${url.hostname}:${port}`] };
  return async (messages, { schema, signal }) => {
    try {
      const key = await untilAborted(readKey(), signal);
      await using guard = await openGuard(policy);
      const request = {
        url: url.href,
        headers: headersWith(key),
        body: bodyOf(name, messages, schema, structured),
      };
      return completionOf(await exchange(request, guard, { signal, maxBytes: MAX_BYTES, ca }));
    } catch (cause) {
      if (signal.aborted) throw modelTimeout(cause);
      throw faultOf(cause);
    }
  };
}

const headersWith = (key: string | undefined) => ({
  'Content-Type': 'application/json',
  Accept: 'application/json',
  ...(key !== undefined && { Authorization: `Bearer ${key}` }),
});

function bodyOf(
  model: string,
  messages: readonly Message[],
  schema: ValueSchema,
  structured: Options['structured'],
): string {
  // Not strict: that takes only a few keywords of JSON Schema.
  const json_schema = { name: 'values', schema, strict: false };
  const format = structured === 'json_schema' ? { type: structured, json_schema } : { type: structured };
  return JSON.stringify({
    ...{ model, messages, stream: false },
    ...(structured !== 'none' && { response_format: format }),
  });
}

/** A broken connection is tried again, and so is an answer that says so. */
function faultOf(cause: unknown): AppError {
  const { code } = toAppError(cause);
  if (code === 'model_failed') return toAppError(cause);
  const mayPass = code === 'connect_failed' || code === 'bad_upstream_response' || code === 'dns_failed';
  return new AppError('model_failed', { cause, ...(mayPass && { retryAfter: RETRY_SECONDS }) });
}

type Response = { status: number; headers: IncomingHttpHeaders; body: Buffer };

function completionOf({ status, headers, body }: Response): Completion {
  if (status !== 200) throw refused(status, headers);
  const { success, data } = Answer.safeParse(parsed(body));
  const [choice] = success ? data.choices : [];
  // Its text may repeat the page, so no cause has it.
  if (!data || !choice) throw failed('The endpoint answered 200 without a completion.');
  const { message, finish_reason: reason } = choice;
  return {
    text: message.content,
    isCut: reason === 'length',
    isRefusal: reason === 'content_filter' || Boolean(message.refusal),
    tokens: { in: data.usage.prompt_tokens, out: data.usage.completion_tokens },
  };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

const failed = (why: string, retryAfter?: number) =>
  new AppError('model_failed', { cause: new Error(why), ...(retryAfter !== undefined && { retryAfter }) });

function refused(status: number, headers: IncomingHttpHeaders): AppError {
  const mayPass = status === 408 || status === 429 || status >= 500;
  const wish = Math.ceil(Number(headers['retry-after'] ?? NaN));
  const seconds = wish >= 0 ? Math.min(wish, MAX_RETRY_SECONDS) : RETRY_SECONDS;
  return failed(`The endpoint answered with status ${status}.`, mayPass ? seconds : undefined);
}
