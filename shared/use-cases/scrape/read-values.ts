import type { ModelTokens, Question, Reading } from '../../contract/scrape/extraction.ts';
import { type Checker, openChecker, type ValueFault } from '../../domain/scrape/extraction/check-values.ts';
import { evidenceFor } from '../../domain/scrape/extraction/evidence.ts';
import { isAllKnown, knownValues } from '../../domain/scrape/extraction/known-values.ts';
import { type Message, messagesFor, repairOf } from '../../domain/scrape/extraction/prompt.ts';
import { objectsIn, type Values } from '../../domain/scrape/extraction/read-answer.ts';
import { AppError, toAppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import type { Completion, ModelEffects, ScrapeContext } from '../../ports/scrape.ts';
import { untilAborted } from '../../time/until-aborted.ts';

export type ReadNeeds = ModelEffects & Pick<Effects, 'newId' | 'now' | 'wait'>;
type ReadContext = Pick<ScrapeContext, 'signal' | 'deadlineAt' | 'requestLog'> & {
  /** The tokens of all calls so far, after each. */
  onTokens?: (tokens: ModelTokens) => void;
};

/** Of one call, if the model is overloaded or unreachable. */
const MAX_TRIES = 3;
/** In less time no model answers. */
const LEAST_MS = 1_000;
/** Second answers to the same question. */
const MAX_REPAIRS = 1;

/**
 * What a model reads from a page, valid for the schema. An answer that is not gets one more try. Throws
 * `extraction_invalid`, `model_failed` and `timeout`; tokens are noted in any case.
 */
export async function readValues(fx: ReadNeeds, question: Question, context: ReadContext): Promise<Reading> {
  const checker = fx.withinTime(() => openChecker(question.schema));
  const { known, besides } = fx.withinTime(() => knownValues(question, checker));
  const ask = openModel(fx, question, context);
  const isSettled = isAllKnown(question, known) && fx.withinTime(() => checker.faultsOf(known)).length === 0;
  if (isSettled) return { values: { ...known, ...besides }, evidence: [], tokens: ask.tokens() };
  const { schema, prompt, markdown, truncated } = question;
  let messages = messagesFor({ schema, prompt, markdown, truncated, known, boundary: fx.newId() });
  for (let repairs = 0; ; repairs += 1) {
    const answer = await ask.complete(messages);
    if (answer.isRefusal)
      throw new AppError('extraction_invalid', { message: 'The model refused to answer.' });
    const { faults, own } = fx.withinTime(() => judged(answer, known, checker));
    if (own) {
      const evidence = evidenceFor(own, question);
      const values = { ...own, ...known, ...besides };
      return { values, evidence, tokens: ask.tokens(), ...(truncated && { truncated }) };
    }
    if (repairs === MAX_REPAIRS) throw invalid(faults);
    messages = repairOf(messages, answer.text, faults);
  }
}

/** The model, and how many tokens it has cost. */
function openModel(fx: ReadNeeds, { schema }: Question, context: ReadContext) {
  let tokens: ModelTokens = { in: 0, out: 0 };
  return {
    tokens: () => tokens,
    complete: async (messages: readonly Message[]): Promise<Completion> => {
      const answer = await untilAnswered(fx, context, () =>
        fx.complete(messages, { schema, signal: context.signal }),
      );
      tokens = { in: tokens.in + answer.tokens.in, out: tokens.out + answer.tokens.out };
      context.requestLog.note({ tokensIn: tokens.in, tokensOut: tokens.out });
      context.onTokens?.(tokens);
      return answer;
    },
  };
}

/** Calls again while that may help and there is time. */
async function untilAnswered(
  { now, wait }: ReadNeeds,
  { signal, deadlineAt }: ReadContext,
  call: () => Promise<Completion>,
): Promise<Completion> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (fault) {
      const error = toAppError(fault);
      const pauseMs = (error.retryAfter ?? Infinity) * 1_000;
      const isInTime = now().getTime() + pauseMs + LEAST_MS < deadlineAt.getTime();
      if (error.code !== 'model_failed' || tries === MAX_TRIES || !isInTime) throw error;
      await untilAborted(wait(pauseMs), signal).catch((cause: unknown) => {
        throw new AppError('timeout', { cause, fields: { phase: 'model' } });
      });
    }
  }
}

type Judged = { faults: ValueFault[]; own?: Values };

/** The values of an answer that the rules have not found, or what is wrong with it. */
function judged({ text, isCut }: Completion, known: Values, checker: Checker): Judged {
  const judgements = objectsIn(text).map((object): Judged => {
    const own = Object.fromEntries(Object.entries(object).filter(([name]) => !Object.hasOwn(known, name)));
    const faults = checker.faultsOf({ ...own, ...known });
    return faults.length === 0 ? { faults, own } : { faults };
  });
  const message = isCut ? 'is cut off, so it must be shorter' : 'is no JSON object';
  return judgements.find(({ own }) => own) ?? judgements[0] ?? { faults: [{ path: '', message }] };
}

function invalid([fault]: readonly ValueFault[]): AppError {
  const { path = '', message = '' } = fault ?? {};
  const where = path === '' ? 'It' : `\`${path}\``;
  return new AppError('extraction_invalid', {
    message: `The answer of the model is not valid for extract_schema. ${where}: ${message}`,
  });
}
