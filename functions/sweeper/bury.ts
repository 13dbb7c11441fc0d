import type { SQSEvent } from 'aws-lambda';
import { JobMessage } from '../../shared/contract/messages.ts';
import { isFinished } from '../../shared/domain/job.ts';
import { failJob } from './sweep.ts';

type Needs = Parameters<typeof failJob>[0];

/** Fails the jobs whose messages ended in the dead-letter queue. A message that is none of ours is dropped. */
export async function bury(fx: Needs, event: SQSEvent): Promise<number> {
  const outcomes = await Promise.all(event.Records.map(({ body }) => buryOne(fx, body)));
  const buried = outcomes.filter(Boolean).length;
  fx.log.warn('dead letters', { received: outcomes.length, buried });
  return buried;
}

async function buryOne(fx: Needs, body: string): Promise<boolean> {
  const message = JobMessage.safeParse(parsed(body));
  const job = message.success ? await fx.jobs.find(message.data.jobId) : undefined;
  if (job === undefined || isFinished(job)) return false;
  await failJob(fx, job, 'attempts_exhausted');
  return true;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
