import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { isEndpointId } from './emit-event.ts';

/** Throws `invalid_request` if a `webhook` is the id of an endpoint that the organization does not have. */
export async function assertEndpoint(
  { webhooks }: Pick<Effects, 'webhooks'>,
  orgId: string,
  webhook: string | undefined,
): Promise<void> {
  if (webhook === undefined || !isEndpointId(webhook) || (await webhooks.find(orgId, webhook))) return;
  throw new AppError('invalid_request', {
    message: `Invalid value for 'webhook': there is no endpoint "${webhook}".`,
    fields: { param: 'webhook' },
  });
}
