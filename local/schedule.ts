import { setTimeout as wait } from 'node:timers/promises';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import { parseRate } from './parse-rate.ts';
import { type Rule, scheduledEvent } from './scheduled-event.ts';

/** Invokes the targets of a rule at its rate, first after one interval, like EventBridge. */
export function runSchedule(
  rule: Rule,
  targetOf: (arn: string) => LambdaFunction,
  report: (line: string) => void,
): Disposable {
  const stopping = new AbortController();
  const targets = rule.Targets.map(({ Arn, Input }) => ({ target: targetOf(Arn), input: Input }));

  async function run(): Promise<void> {
    const every = parseRate(rule.ScheduleExpression);
    while (!stopping.signal.aborted) {
      await wait(every, undefined, { signal: stopping.signal });
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
