import { pollQueue } from './event-sources.ts';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import type { KeptWork } from './release-kept-work.ts';
import { runSchedule } from './schedule.ts';
import type { Blueprint } from './template/blueprint.ts';

type Options = {
  blueprint: Pick<Blueprint, 'eventSources' | 'queues' | 'schedules'>;
  sqs: string;
  functionOf: (arn: string) => LambdaFunction;
  report: (line: string) => void;
  /** What the last run left, which the sweeper takes up at once. */
  kept: Pick<KeptWork, 'unfinished' | 'released'>;
};

/** Starts the queues and schedules that invoke functions. */
export function runEvents(options: Options): (AsyncDisposable | Disposable)[] {
  const { blueprint, sqs, functionOf, report, kept } = options;
  const schedule = { targetOf: functionOf, report, isAtOnce: kept.unfinished + kept.released > 0 };
  const polled = blueprint.eventSources.map((source) => {
    const queue = blueprint.queues.find(({ arn }) => arn === source.EventSourceArn);
    if (!queue) throw new Error(`There is no queue ${source.EventSourceArn} to poll.`);
    const target = functionOf(source.FunctionName);
    return pollQueue({ source, queueUrl: queue.url, target, endpoint: sqs, report });
  });
  return [...polled, ...blueprint.schedules.map((rule) => runSchedule(rule, schedule))];
}
