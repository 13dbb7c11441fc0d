import type { SQSEvent } from 'aws-lambda';
import { readJobMessage } from '../../shared/contract/scrape/messages.ts';
import { isFinished } from '../../shared/domain/jobs/state.ts';
import { claimableAt } from '../../shared/domain/jobs/timing.ts';
import { failJob, type Needs } from './jobs.ts';

/** Fails the jobs in the dead-letter queue. Messages without a job are dropped. */
export async function failDeadLetters(fx: Needs, event: SQSEvent): Promise<number> {
  const outcomes = await Promise.all(event.Records.map(({ body }) => failJobOf(fx, body)));
  const failed = outcomes.filter(Boolean).length;
  fx.log.warn('dead letters', { received: outcomes.length, failed });
  return failed;
}

async function failJobOf(fx: Needs, body: string): Promise<boolean> {
  const message = readJobMessage(body);
  // Every sweep reads the backlogs.
  const job = message && 'jobId' in message && (await fx.jobs.find(message.jobId));
  // The sweeper handles jobs that have an owner or wait for an attempt.
  if (!job || isFinished(job) || claimableAt(job) > fx.now()) return false;
  await failJob(fx, job, 'attempts_exhausted');
  return true;
}
