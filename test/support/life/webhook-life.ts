import { Webhook } from 'standardwebhooks';
import type { DeliveryView } from '../../../shared/contract/webhooks/webhook.ts';
import { newService } from '../world/api.ts';
import type { Received } from '../world/in-memory-webhooks.ts';
import { page } from '../world/pages.ts';

export const WEBHOOKS = '/api/v1/webhooks';
export const JOBS = '/api/v1/scraper/jobs';
export const HOOK = 'https://hooks.example/in';
const MINUTE_MS = 60_000;

export type Event = { type: string; timestamp: string; data: Record<string, unknown> };
export const eventIn = ({ body }: Received) => JSON.parse(body) as Event;

/** A service with an organization whose receiver, at HOOK, confirms everything. */
export async function webhookLife() {
  const { world, service, key, orgId } = await newService();
  world.answers[HOOK] = 204;
  world.web['https://example.com/'] = page('hello');

  const create = async (wanted: object = {}) => {
    const { json } = await service.post(WEBHOOKS, key, { url: HOOK, ...wanted });
    return { id: String(json['webhook_id']), secret: String(json['secret']) };
  };
  const deliveries = async (id: string) =>
    (await service.ask(`${WEBHOOKS}/${id}/deliveries`, { key })).json['data'] as DeliveryView[];

  return {
    ...{ world, service, key, orgId, create, deliveries },
    call: (path: string, method = 'GET', body?: unknown) =>
      service.ask(WEBHOOKS + path, {
        method,
        key,
        body,
        headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      }),
    submit: async (more: object = {}) => {
      const { json } = await service.post(JOBS, key, { url: 'https://example.com/', ...more });
      return String(json['job_id']);
    },
    /** Submits a job, runs it, and lets the notifier send what it causes. */
    runJob: async (more: object = {}) => {
      const { json } = await service.post(JOBS, key, { url: 'https://example.com/', ...more });
      await service.work();
      await service.notify();
      return String(json['job_id']);
    },
    /** Lets time pass a minute at a time, with sweeps and the notifier. */
    pass: async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        world.pass(MINUTE_MS);
        await service.sweepDeliveries();
        await service.notify();
      }
    },
  };
}

export type WebhookLife = Awaited<ReturnType<typeof webhookLife>>;

/** The event, if the independent implementation would have signed it with this secret. Throws otherwise. */
export function verified({ headers, body }: Received, secret: string): Event {
  const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': sent = '' } = headers;
  const expected = new Webhook(secret).sign(id, new Date(Number(time) * 1_000), body);
  if (!sent.split(' ').includes(expected)) throw new Error('The signature does not match.');
  return JSON.parse(body) as Event;
}
