import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { ModelAnswer, ModelRequest } from '../../contract/scrape/model-messages.ts';
import { AppError, busy } from '../../errors.ts';
import type { ReadValues } from '../../ports/scrape.ts';
import { modelTimeout } from '../model/model-timeout.ts';
import { isThrottled } from './lambda-throttling.ts';

type Options = {
  client: LambdaClient;
  /** Undefined where the stage has no model. */
  functionName: string | undefined;
};

/** The function's deadline is this much earlier, so that its answer arrives in time. */
const ROUND_TRIP_MS = 250;
/** Of the text, for evidence: with it a payload stays within the 6 MB that Lambda takes. */
const MAX_TEXT = 700_000;

/** Has the model function read a page. Throws its error, `busy` when throttled. */
export function lambdaModel({ client, functionName }: Options): ReadValues {
  return async ({ text, ...question }, { requestId, signal, deadlineAt, requestLog }) => {
    if (functionName === undefined) throw new AppError('model_not_configured');
    const request = ModelRequest.parse({
      ...{ ...question, text: text.slice(0, MAX_TEXT) },
      ...{ requestId, deadlineAt: deadlineAt.getTime() - ROUND_TRIP_MS },
    });
    const command = new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(request) });
    const answer = await invoked(client, command, signal);
    const { tokens } = answer;
    requestLog.note({ tokensIn: tokens.in, tokensOut: tokens.out });
    if (answer.outcome === 'values') return answer;
    const { code, message, fields, retryAfter } = answer;
    throw new AppError(code, { message, fields, ...(retryAfter !== undefined && { retryAfter }) });
  };
}

async function invoked(
  client: LambdaClient,
  command: InvokeCommand,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  try {
    const { FunctionError: fault, Payload: payload } = await client.send(command, { abortSignal: signal });
    // The payload of a fault may repeat the page.
    if (fault !== undefined) throw new Error(`The function ended with ${fault}.`);
    return ModelAnswer.parse(JSON.parse(payload?.transformToString() ?? ''));
  } catch (cause) {
    if (signal.aborted) throw modelTimeout(signal.reason);
    throw isThrottled(cause) ? busy(cause) : new AppError('model_failed', { cause });
  }
}
