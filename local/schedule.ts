import { setTimeout as wait } from 'node:timers/promises';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import { parseRate } from './parse-rate.ts';
import { type Rule, scheduledEvent } from './scheduled-event.ts';

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
