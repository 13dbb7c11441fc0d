import { randomBytes } from 'node:crypto';
import type { Organization } from '../../contract/accounts/account.ts';
import {
  DEFAULT_ENDPOINT,
  type Endpoint,
  EndpointId,
  EventType,
  type NewWebhook,
  type WebhookChange,
} from '../../contract/webhooks/webhook.ts';
import { changed, withNewSecret } from '../../domain/webhooks/state.ts';
import { createSigningSecret } from '../../domain/webhooks/signature.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { defaultEndpoint } from './default-endpoint.ts';

export type EndpointNeeds = Pick<Effects, 'webhooks' | 'vault' | 'now'>;
type Needs = Pick<Effects, 'notes' | 'webhooks' | 'vault' | 'now' | 'newId'>;

export const MAX_ENDPOINTS = 20;

/** Adds an endpoint. Only the result holds its secret. Throws `too_many_webhooks`. */
export async function createEndpoint(
  fx: Needs,
  organization: Organization,
  { url, description, events = EventType.options }: NewWebhook,
): Promise<{ endpoint: Endpoint; secret: string }> {
  const { id: orgId } = organization;
  if ((await listEndpoints(fx, orgId)).length >= MAX_ENDPOINTS) throw new AppError('too_many_webhooks');
  // Noted first: an event looked for in vain does no harm, a missed one does.
  await fx.notes.noteEvents(organization, events, fx.now());
  const [id, secret] = [fx.newId(), createSigningSecret(randomBytes)];
  const sealed = await fx.vault.seal(secret, { orgId, id });
  const times = { createdAt: fx.now(), enabledAt: fx.now() };
  const note = description === '' ? undefined : description;
  const it = { id, orgId, url, description: note, events, secrets: [{ sealed }], ...times, version: 0 };
  await fx.webhooks.add(it);
  return { endpoint: it, secret };
}

/** Without the default endpoint. */
export async function listEndpoints({ webhooks }: Pick<Effects, 'webhooks'>, orgId: string) {
  return (await webhooks.list(orgId)).filter(({ id }) => id !== DEFAULT_ENDPOINT);
}

/** An endpoint of this organization. Throws `not_found`. */
export async function findEndpoint(fx: EndpointNeeds, orgId: string, id: string): Promise<Endpoint> {
  if (id === DEFAULT_ENDPOINT) return defaultEndpoint(fx, orgId);
  const endpoint = EndpointId.safeParse(id).success ? await fx.webhooks.find(orgId, id) : undefined;
  if (endpoint === undefined) throw new AppError('not_found', { message: 'There is no such endpoint.' });
  return endpoint;
}

/** Changes an endpoint other than the default one, whatever else changes it meanwhile. */
export async function changeEndpoint(
  fx: Needs,
  organization: Organization,
  id: string,
  { enabled, description, ...change }: WebhookChange,
): Promise<Endpoint> {
  refuseDefault(id);
  await fx.notes.noteEvents(organization, change.events ?? [], fx.now());
  return replaced(fx, organization.id, id, (endpoint) => {
    const isSwitched = enabled !== undefined && enabled !== (endpoint.disabled === undefined);
    const now = fx.now();
    return changed(endpoint, {
      ...(change.url !== undefined && { url: change.url }),
      ...(change.events !== undefined && { events: change.events }),
      ...(description !== undefined && { description: description === '' ? undefined : description }),
      ...(isSwitched && enabled && { disabled: undefined, enabledAt: now }),
      ...(isSwitched && !enabled && { disabled: { by: 'caller', at: now } }),
    });
  });
}

/** Gives an endpoint a new secret, which only the result holds. */
export async function rotateSecret(fx: Needs, orgId: string, id: string) {
  const secret = createSigningSecret(randomBytes);
  const sealed = await fx.vault.seal(secret, { orgId, id });
  const endpoint = await replaced(fx, orgId, id, (before) => withNewSecret(before, sealed, fx.now()));
  return { endpoint, secret };
}

/** Events on their way to it are given up. */
export async function removeEndpoint(fx: Needs, orgId: string, id: string): Promise<void> {
  refuseDefault(id);
  await findEndpoint(fx, orgId, id);
  await fx.webhooks.remove(orgId, id);
}

async function replaced(fx: Needs, orgId: string, id: string, change: (before: Endpoint) => Endpoint) {
  for (;;) {
    const before = await findEndpoint(fx, orgId, id);
    const after = change(before);
    if (await fx.webhooks.replace(before, after)) return after;
  }
}

function refuseDefault(id: string): void {
  if (id !== DEFAULT_ENDPOINT) return;
  throw new AppError('invalid_request', {
    message: 'The endpoint "default" stands for bare URLs. Only its secret can be changed.',
    fields: { param: 'webhook_id' },
  });
}
