import { snakeKeys } from '../../../shared/contract/case.ts';
import { isRepeatable } from '../../../shared/contract/scrape/target-request.ts';
import { AppError } from '../../../shared/errors.ts';
import { findBatch } from '../../../shared/use-cases/batches/find-batch.ts';
import { findJob } from '../../../shared/use-cases/jobs/find-job.ts';
import { createdBy } from '../../../shared/use-cases/people/member-keys.ts';
import { createSubmitKey } from '../../../shared/use-cases/people/playground-key.ts';
import { textIn } from '../answered.ts';
import { takeRateLimit } from '../limited.ts';
import type { MemberCall } from '../page-call.ts';
import { type DashboardReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { withoutDefaults } from '../repeat-request.ts';
import { withNotice } from '../views/notices.ts';

const JOBS = '/api/v1/scraper/jobs';
const BATCHES = '/api/v1/scraper/batches';

/** Buttons that submit something again, through the API with a key of their own. */
export function submitPages(fx: Needs): Pick<Pages, 'runAgain' | 'retryBatch'> {
  return {
    runAgain: async (call) => {
      const { request, tags, retryOn } = await findJob(fx, call.person.orgId, textIn(call, 'id'));
      if (!isRepeatable(request)) throw new AppError('invalid_request', { message: NOT_GET });
      const body = { url: request.url, ...withoutDefaults(snakeKeys({ ...request, tags, retryOn })) };
      const id = await submitted(fx, call, { path: JOBS, body, idOf: 'job_id' });
      return seeOther(call, withNotice('/jobs', 'again', { id }));
    },
    retryBatch: async (call): Promise<DashboardReply> => {
      const { id } = await findBatch(fx, call.person.orgId, textIn(call, 'id'));
      const path = `${BATCHES}/${id}/retry_failed`;
      const made = await submitted(fx, call, { path, body: {}, idOf: 'batch_id' });
      return seeOther(call, withNotice('/batches', 'retried', { id: made }));
    },
  };
}

const NOT_GET = 'Only jobs with the method GET run again from here.';

type Submit = { path: string; body: object; idOf: 'job_id' | 'batch_id' };

/** Statuses from here on are faults of the service. */
const FIRST_OWN_FAULT = 500;

/** By the page that its form was on, so that a double click submits once. */
function onceOf(call: MemberCall): string {
  const [page = call.requestId] = /^[\w-]{1,64}$/.exec(textIn(call, 'once')) ?? [];
  return `dashboard ${call.person.id} ${page}`;
}

/** How long a second click waits for the first one to be answered. */
const [WAIT_MS, WAITS] = [500, 10];

/** The id of what was submitted. Throws the API's refusal in its words, and `busy`. */
async function submitted(fx: Needs, call: MemberCall, { path, body, idOf }: Submit): Promise<string> {
  await takeRateLimit(fx, call, 'submit', call.person.email);
  const { api_key: key } = await createdBy(fx, call.person, () => createSubmitKey(fx, call.person));
  const once = onceOf(call);
  let { status, json } = await fx.submit(path, { key, once, body });
  for (let waits = 0; waits < WAITS && json['code'] === 'idempotency_in_flight'; waits += 1) {
    await fx.wait(WAIT_MS);
    ({ status, json } = await fx.submit(path, { key, once, body }));
  }
  if (status === 202) return String(json[idOf]);
  if (status >= FIRST_OWN_FAULT) throw new AppError('busy');
  throw new AppError(status === 429 ? 'rate_limited' : 'invalid_request', {
    message: `The API refused it with ${status}: ${String(json['message'])}`,
  });
}
