import { beforeEach } from 'vitest';
import type { Organization, Usage } from '../../../shared/contract/accounts/account.ts';
import type { TargetPolicy } from '../../../shared/request/parse-scrape-request.ts';
import type { NewOrganization } from '../../../shared/use-cases/accounts/manage-organizations.ts';
import { newService, type Service } from './api.ts';
import type { World } from './in-memory-world.ts';

/** Of the running test, once its file has called newServiceEachTest. */
export let world: World;
export let service: Service;
export let key: string;
export let orgId: string;

export const JOBS = '/api/v1/scraper/jobs';

type Wanted = Partial<NewOrganization> & { policy?: TargetPolicy };

/** Each test of the file starts with its own world, and with one organization like this. */
export function newServiceEachTest({ policy, ...wanted }: Wanted = {}) {
  beforeEach(async () => {
    ({ world, service, key, orgId } = await newService(policy, wanted));
  });
}

/** The rest of the test has the key of another organization, like this. */
export async function asNewOrganization(wanted: Partial<NewOrganization> = {}) {
  ({ key, orgId } = await service.organization(wanted));
}

/** The usage of the test's organization at this moment. */
export async function usage(): Promise<Usage> {
  return world.usage.read(await organization(), world.now());
}

export async function organization(): Promise<Organization> {
  const stored = await world.organizations.find(orgId);
  if (stored === undefined) throw new Error('There is no organization.');
  return stored;
}

/** Submits a job, and returns its id. */
export async function submitJob(request: object): Promise<string> {
  return String((await service.post(JOBS, key, request)).json.job_id);
}

/** A job as its caller sees it. */
export async function shown(jobId: string): Promise<Record<string, unknown>> {
  return (await service.ask(`${JOBS}/${jobId}`, { key })).json;
}
