import { Duration } from 'aws-cdk-lib';
import { Architecture, type Function, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { invokeWithMessages } from '../constructs/consume.ts';
import { serviceFunction } from '../constructs/service-function.ts';
import { permissionsOn } from '../permissions.ts';
import type { Resources } from '../resources.ts';
import { jobVariables } from './submitting.ts';
import { type Callees, fetchingPermissions, fetchingVariables } from './fetching.ts';

/** Jobs begin for 230 to 460 s. The last takes 120 s at most; the rest is for storing its page. */
export const WORKER_TIMEOUT = Duration.minutes(10);

/** Requests to one host at once, unless the stage has another number. */
const HOST_CONCURRENCY = 8;

function crawlVariables({ stage: { hostConcurrency = HOST_CONCURRENCY, robotsToken } }: Resources) {
  return {
    HOST_CONCURRENCY: String(hostConcurrency),
    ...(robotsToken !== undefined && { ROBOTS_TOKEN: robotsToken }),
  };
}

export function worker(it: Resources, callees: Callees): Function {
  const may = permissionsOn(it);
  const made = serviceFunction(it, 'worker', {
    timeout: WORKER_TIMEOUT,
    // The HTTP client is native for x86_64.
    architecture: Architecture.X86_64,
    // It wakes itself while jobs wait.
    recursiveLoop: RecursiveLoop.ALLOW,
    environment: { ...jobVariables(it), ...fetchingVariables(it, callees), ...crawlVariables(it) },
    permissions: [
      may.readAccounts,
      may.writeUsage,
      may.noteWaiting,
      may.findDueJobs,
      may.readActivity,
      may.writeActivity,
      may.renewPages,
      may.writeJobs,
      may.changeBatches,
      may.listJobs,
      may.readResults,
      may.listResults,
      may.writeResults,
      may.deleteResults,
      may.consumeJobs,
      may.sendJobs,
      may.listEndpoints,
      may.addDeliveries,
      may.sendNotices,
      ...fetchingPermissions(it, callees),
    ],
  });
  invokeWithMessages(made, it.queue, it.stage.workerConcurrency);
  return made;
}
