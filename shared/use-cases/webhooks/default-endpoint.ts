import { randomBytes } from 'node:crypto';
import { DEFAULT_ENDPOINT, type Endpoint } from '../../contract/webhooks/webhook.ts';
import { createSigningSecret } from '../../domain/webhooks/signature.ts';
import type { Effects } from '../../ports/effects.ts';

type Needs = Pick<Effects, 'webhooks' | 'vault' | 'now'>;

/** The endpoint that stands for bare URLs. It has the secret that signs for them, and is made when needed. */
export async function defaultEndpoint(fx: Needs, orgId: string): Promise<Endpoint> {
  for (;;) {
    const stored = await fx.webhooks.find(orgId, DEFAULT_ENDPOINT);
    if (stored) return stored;
    const id = DEFAULT_ENDPOINT;
    const sealed = await fx.vault.seal(createSigningSecret(randomBytes), { orgId, id });
    const times = { createdAt: fx.now(), enabledAt: fx.now() };
    await fx.webhooks.add({ id, orgId, events: [], secrets: [{ sealed }], ...times, version: 0 });
  }
}
