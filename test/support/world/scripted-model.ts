import type { Question, Reading } from '../../../shared/contract/scrape/extraction.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ReadValues } from '../../../shared/ports/scrape.ts';
import { step } from './step.ts';

type Answer = (question: Question, signal: AbortSignal) => Promise<Partial<Reading>> | Partial<Reading>;

/** What a model says of each page, and its questions so far. */
export type ScriptedModel = { answer: Answer | undefined; asked: Question[] };

/** A model that has no answer until a test gives it one. */
export const scriptedModel = (): ScriptedModel => ({ answer: undefined, asked: [] });

/** The ReadValues port in memory. */
export const readByScript =
  (model: ScriptedModel): ReadValues =>
  async (question, { signal }) => {
    await step(() => undefined);
    signal.throwIfAborted();
    if (model.answer === undefined) throw new AppError('model_not_configured');
    model.asked.push(question);
    const reading = await model.answer(question, signal);
    return { values: {}, evidence: [], tokens: { in: 10, out: 2 }, ...reading };
  };
