import type { Message } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import type { Blueprint } from './template/blueprint.ts';

type EventSource = Pick<Blueprint['eventSources'][number], 'FunctionResponseTypes'>;

const BatchResponse = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish() })
  .nullish();

/** The ids of failed messages. An invalid response, or an unknown id, fails the whole batch. */
export function batchFailures(
  { FunctionResponseTypes }: EventSource,
  body: string,
  messages: Message[],
): Set<string> {
  if (!FunctionResponseTypes.includes('ReportBatchItemFailures')) return new Set();
  const all = new Set(messages.map(({ MessageId }) => MessageId ?? ''));
  const response = BatchResponse.safeParse(JSON.parse(body || 'null'));
  if (!response.success) return all;
  const failed = (response.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return failed.every((id) => all.has(id)) ? new Set(failed) : all;
}
