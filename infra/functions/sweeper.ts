import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Architecture, type Function, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { invokeWithMessages } from '../constructs/consume.ts';
import { serviceFunction } from '../constructs/service-function.ts';
import { permissionsOn } from '../permissions.ts';
import type { Resources } from '../resources.ts';
import { recordVariables } from './submitting.ts';

export const SWEEPER_TIMEOUT = Duration.seconds(60);

/** Lambda's minimum, and enough for dead letters. */
const CONCURRENCY = 2;

/** Repairs unfinished jobs and leaked slots every minute, and handles dead letters. */
export function sweeper(it: Resources): Function {
  const may = permissionsOn(it);
  const made = serviceFunction(it, 'sweeper', {
    timeout: SWEEPER_TIMEOUT,
    architecture: Architecture.ARM_64,
    // A dead letter leads to a job's message, which may become a dead letter.
    recursiveLoop: RecursiveLoop.ALLOW,
    environment: { ...recordVariables(it), CHROMIUM_RELEASED: it.code.chromium.released },
    permissions: [
      may.readAccounts,
      may.writeUsage,
      may.takeOffList,
      may.readList,
      may.writeActivity,
      may.writeJobs,
      may.changeBatches,
      may.deleteJobs,
      may.listJobs,
      may.findDueJobs,
      may.consumeDeadLetters,
      may.sendJobs,
      may.readDeliveries,
      may.findDueDeliveries,
      may.listEndpoints,
      may.addDeliveries,
      may.sendNotices,
    ],
  });
  invokeWithMessages(made, it.deadLetters, CONCURRENCY);
  runEveryMinute(it, made);
  return made;
}

function runEveryMinute({ stack }: Resources, made: Function): void {
  new Rule(stack, 'EveryMinute', {
    schedule: Schedule.rate(Duration.minutes(1)),
    targets: [new LambdaFunction(made)],
  });
}
