import {
  BedrockRuntimeClient,
  type BedrockRuntimeClientConfig,
  ConverseCommand,
  type ConverseCommandOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Message } from '../../domain/scrape/extraction/prompt.ts';
import { AppError } from '../../errors.ts';
import type { Completion, ModelEffects } from '../../ports/scrape.ts';
import { modelTimeout } from './model-timeout.ts';

const CONNECTION_MS = 2_000;

/** Its signal ends each call; it is called again by its caller, who knows the time that is left. */
export const bedrockClient = (config: BedrockRuntimeClientConfig = {}) =>
  new BedrockRuntimeClient({
    maxAttempts: 1,
    // By default HTTP/2, whose connections may be lost while Lambda keeps the function asleep.
    requestHandler: new NodeHttpHandler({ connectionTimeout: CONNECTION_MS }),
    ...config,
  });

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors */
const PASSING: readonly string[] = [
  'ThrottlingException',
  'ServiceUnavailableException',
  'InternalServerException',
  'ModelNotReadyException',
  'ModelTimeoutException',
  'TimeoutError',
];
const RETRY_SECONDS = 1;
const [CLIENT_ERROR, SERVER_ERROR] = [400, 500];

const REFUSALS: readonly (string | undefined)[] = ['guardrail_intervened', 'content_filtered'];

type Options = { client: BedrockRuntimeClient; modelId: string };

/** A model of Amazon Bedrock, by Converse, which all of them understand. */
export function bedrockModel({ client, modelId }: Options): ModelEffects['complete'] {
  return async (messages, { signal }) => {
    const command = new ConverseCommand({
      modelId,
      system: textsOf(messages.filter(({ role }) => role === 'system')),
      messages: messages
        .filter(({ role }) => role !== 'system')
        .map(({ role, content }) => ({
          role: role === 'user' ? role : 'assistant',
          content: [{ text: content }],
        })),
    });
    try {
      return completionOf(await client.send(command, { abortSignal: signal }));
    } catch (cause) {
      if (signal.aborted) throw modelTimeout(signal.reason);
      throw faultOf(cause);
    }
  };
}

const textsOf = (messages: readonly Message[]) => messages.map(({ content }) => ({ text: content }));

function completionOf({ output, stopReason, usage }: ConverseCommandOutput): Completion {
  const parts = output?.message?.content;
  const isRefusal = REFUSALS.includes(stopReason);
  if (!parts && !isRefusal)
    throw new AppError('model_failed', { cause: new Error('Bedrock sent no message.') });
  return {
    text: (parts ?? []).map(({ text = '' }) => text).join(''),
    isCut: stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded',
    isRefusal,
    tokens: { in: countOf(usage?.inputTokens), out: countOf(usage?.outputTokens) },
  };
}

const countOf = (tokens = 0) => (Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : 0);

/** The vendor's message may repeat what was sent: only its name is kept. */
function faultOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  // A response that is cut off has a good status.
  const isBroken = status === undefined || status < CLIENT_ERROR;
  const mayPass = isBroken || status >= SERVER_ERROR || PASSING.includes(name ?? '');
  return new AppError('model_failed', {
    cause: new Error(`Bedrock failed with ${name ?? 'an error'} (${status ?? 'no response'}).`),
    ...(mayPass && { retryAfter: RETRY_SECONDS }),
  });
}
