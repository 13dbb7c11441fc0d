import type { z } from 'zod';
import { exampleJobId } from './examples.ts';
import type {
  DeliveryList,
  DeliveryView,
  NewWebhook,
  WebhookChange,
  WebhookView,
  WebhookWithSecret,
} from '../../contract/webhooks/webhook.ts';

type Examples<T> = Record<string, { summary: string; value: T }>;

export const exampleWebhookId = '019e2f3a-5b62-7e3f-9b40-4c5d6e7f8091';
export const exampleDeliveryId = '019e2f3a-6330-7f40-8c51-5d6e7f8091a2';

const URL = 'https://example.com/hooks';

export const newWebhooks = {
  chosen: { summary: 'Two types', value: { url: URL, events: ['job.failed', 'credits.low'] } },
  all: { summary: 'All types', value: { url: URL, description: 'Production' } },
} satisfies Examples<z.input<typeof NewWebhook>>;

export const changes = {
  enable: { summary: 'Enable', value: { enabled: true } },
  move: { summary: 'Another URL', value: { url: 'https://example.com/new-hooks' } },
} satisfies Examples<z.input<typeof WebhookChange>>;

const enabled = {
  webhook_id: exampleWebhookId,
  url: URL,
  events: ['job.failed', 'credits.low'],
  enabled: true,
  created_at: '2026-11-21T06:59:00.000Z',
} satisfies WebhookView;

export const webhook = {
  enabled: { summary: 'Enabled', value: enabled },
  disabled: {
    summary: 'Disabled after days of failures',
    value: { ...enabled, enabled: false, disabled_by: 'failures', disabled_at: '2026-11-27T07:00:00.000Z' },
  },
} satisfies Examples<WebhookView>;

export const webhookList = {
  one: { summary: 'One endpoint', value: { data: [enabled] } },
} satisfies Examples<{ data: WebhookView[] }>;

export const withSecret = {
  created: {
    summary: 'Store the secret',
    value: { ...enabled, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' },
  },
} satisfies Examples<WebhookWithSecret>;

const pending = {
  delivery_id: exampleDeliveryId,
  type: 'job.failed',
  subject: exampleJobId,
  status: 'pending',
  created_at: '2026-11-21T07:00:00.000Z',
  next_attempt_at: '2026-11-21T07:00:00.000Z',
  expires_at: '2026-12-21T07:00:00.000Z',
  attempts: [],
} satisfies DeliveryView;

export const delivery = {
  pending: { summary: 'On its way', value: pending },
} satisfies Examples<DeliveryView>;

const { next_attempt_at: _, ...ended } = pending;

export const deliveries = {
  page: {
    summary: 'Delivered on the second attempt',
    value: {
      data: [
        {
          ...ended,
          status: 'delivered',
          attempts: [
            { at: '2026-11-21T07:00:00.100Z', ms: 15_000, error: 'timeout' },
            { at: '2026-11-21T07:00:20.400Z', ms: 35, status: 204 },
          ],
        },
      ],
      next_cursor: 'MDE5ZTJmM2EtNjMzMA',
    },
  },
} satisfies Examples<DeliveryList>;
