import { Duration } from 'aws-cdk-lib';
import { Architecture, type Function } from 'aws-cdk-lib/aws-lambda';
import { serviceFunction } from '../constructs/service-function.ts';
import type { Stage } from '../stages.ts';
import { permissionsOn } from '../permissions.ts';
import type { Resources } from '../resources.ts';
import { type Callees, fetchingPermissions, fetchingVariables } from './fetching.ts';
import { playgroundVariables } from '../playground.ts';

export function scraper(it: Resources, callees: Callees): Function {
  const may = permissionsOn(it);
  return serviceFunction(it, 'scraper', {
    // A scrape takes 120 s at most; the rest is for a slow reader of 50 MB.
    timeout: Duration.seconds(300),
    // The HTTP client is native for x86_64.
    architecture: Architecture.X86_64,
    environment: {
      API_URL: it.apiUrl,
      ACCOUNTS_TABLE: it.accounts.tableName,
      ACTIVITY_TABLE: it.activity.tableName,
      // A scrape that ends wakes the jobs that wait for its slot.
      JOBS_QUEUE_URL: it.queue.queueUrl,
      // And a scrape that uses up the credits has that reported.
      NOTICES_QUEUE_URL: it.notices.queueUrl,
      RESULTS_BUCKET: it.results.bucketName,
      ...fetchingVariables(it, callees),
      ...playgroundVariables(it.stage),
      ...robotsVariables(it.stage),
    },
    permissions: [
      may.readAccounts,
      may.writeUsage,
      may.readActivity,
      may.writeActivity,
      may.renewPages,
      may.forgetPages,
      may.readResults,
      may.listResults,
      may.writePages,
      may.deletePages,
      may.writePictures,
      may.sendJobs,
      may.sendNotices,
      ...fetchingPermissions(it, callees),
    ],
  });
}

const robotsVariables = ({ robotsToken, mayIgnoreRobots = false }: Stage) => ({
  ...(robotsToken !== undefined && { ROBOTS_TOKEN: robotsToken }),
  ...(mayIgnoreRobots && { ROBOTS_IGNORE: 'allowed' }),
});
