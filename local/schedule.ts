import { setTimeout as wait } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import type { Blueprint } from './template/blueprint.ts';
import { ACCOUNT, REGION } from './template/physical.ts';

type Schedule = {
  targetOf: (arn: string) => LambdaFunction;
  report: (line: string) => void;
  /** Instead of first after one interval, like EventBridge. */
  isAtOnce: boolean;
};

/** Invokes the targets of a rule at its rate. */
export function runSchedule(rule: Rule, { targetOf, report, isAtOnce }: Schedule): Disposable {
  const stopping = new AbortController();
  const targets = rule.Targets.map(({ Arn, Input }) => ({ target: targetOf(Arn), input: Input }));

  async function run(): Promise<void> {
    const every = parseRate(rule.ScheduleExpression);
    for (let first = true; !stopping.signal.aborted; first = false) {
      if (!first || !isAtOnce) await wait(every, undefined, { signal: stopping.signal });
      await Promise.all(
        targets.map(({ target, input }) => invoke(target, input ?? JSON.stringify(scheduledEvent(rule)))),
      );
    }
  }

  async function invoke(target: LambdaFunction, payload: string): Promise<void> {
    const answer = await target.invoke(payload);
    answer.body.resume();
    const fault = await answer.fault;
    if (fault) report(`${target.spec.label}: ${fault.errorType}: ${fault.errorMessage}`);
  }

  run().catch((error: unknown) => {
    if (!stopping.signal.aborted) report(`The schedule ${rule.name} stopped: ${String(error)}`);
  });
  return {
    // Stopping the function ends a run in progress.
    [Symbol.dispose]: () => {
      stopping.abort();
    },
  };
}

const MILLISECONDS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Milliseconds between two runs of `rate(5 minutes)`.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rate-expressions.html
 */
export function parseRate(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const milliseconds = Number(count) * (MILLISECONDS[unit ?? ''] ?? NaN);
  if (Number.isNaN(milliseconds)) throw new Error(`The local stack cannot run the schedule ${expression}.`);
  return milliseconds;
}

type Rule = Blueprint['schedules'][number];

function scheduledEvent({ name }: Rule) {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: ACCOUNT,
    time: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    region: REGION,
    resources: [`arn:aws:events:${REGION}:${ACCOUNT}:rule/${name}`],
    detail: {},
  };
}
