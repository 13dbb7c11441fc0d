import { ModelAnswer, ModelRequest } from '../../shared/contract/scrape/model-messages.ts';
import { toAppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/observe/log.ts';
import { logged, openRequestLog } from '../../shared/observe/request-log.ts';
import { deadline } from '../../shared/time/deadline.ts';
import { type ReadNeeds, readValues } from '../../shared/use-cases/scrape/read-values.ts';

/** Of any scrape. */
const MAX_MS = 120_000;

/** Reads values from the page that the event has. Its answer tells of errors too, with their tokens. */
export function answerQuestion(fx: ReadNeeds, log: Log) {
  return async (event: unknown): Promise<ModelAnswer> => {
    const requestLog = openRequestLog();
    requestLog.enter('model');
    let tokens = { in: 0, out: 0 };
    return logged(
      { log, kind: 'model', requestLog },
      async (): Promise<ModelAnswer> => {
        const { requestId, deadlineAt, ...question } = ModelRequest.parse(event);
        requestLog.note({ requestId });
        const leftMs = deadlineAt - fx.now().getTime();
        using time = deadline(Math.min(MAX_MS, Math.max(0, leftMs)));
        const onTokens = (spent: typeof tokens) => (tokens = spent);
        const reading = await readValues(fx, question, { ...time, requestLog, onTokens });
        return ModelAnswer.parse({ outcome: 'values', ...reading });
      },
      (error) => {
        const { code, message, fields, retryAfter } = toAppError(error);
        return { outcome: 'error', code, message, fields, retryAfter, tokens };
      },
    );
  };
}
