import type { AccountView, UsageView } from '../../contract/accounts/account-view.ts';
import type { ActivityPage } from '../../contract/accounts/activity.ts';

export const account = {
  free: {
    summary: 'An organization on the free plan',
    value: {
      org_id: 'org_019e2f3a5b607c1d9f2e3a4b5c6d7e8f',
      name: 'Example',
      plan: 'free',
      status: 'active',
      limits: { credits: 1_000, rpm: 60, reads_per_minute: 600, concurrency: 10 },
      period: '2026-11',
      credits: {
        granted: 1_000,
        used: 214,
        held: 5,
        available: 781,
        resets_at: '2026-12-01T00:00:00.000Z',
      },
      in_progress: 1,
    } satisfies AccountView,
  },
};

const row = { scrapes: 43, succeeded: 40, failed: 3, credits: 200 };

export const usageByDay = {
  oneDay: {
    summary: 'One day of rendered scrapes',
    value: {
      from: '2026-11-21',
      to: '2026-11-21',
      by: 'day',
      total: row,
      data: [
        {
          day: '2026-11-21',
          kind: 'rendered',
          ...row,
          reasons: { page: 40, target_status: 1, no_page: 2, refused: 0, wall: 0, cached: 0, duplicate: 0 },
        },
      ],
    } satisfies UsageView,
  },
};

export const activity = {
  page: {
    summary: 'A sync scrape and a job',
    value: {
      data: [
        {
          time: '2026-11-21T07:00:00.000Z',
          type: 'scrape',
          request_id: '019e2f3a-5b61-7d2e-8a3f-4b5c6d7e8f90',
          key_id: 'Zk3mQ8vT1xYb',
          url: 'https://example.com/',
          host: 'example.com',
          options: { render_js: true, premium_proxy: false, timeout: 90_000 },
          target_status: 200,
          credits: 5,
          reason: 'page',
          ms: 412,
        },
        {
          time: '2026-11-21T06:59:58.000Z',
          type: 'job',
          job_id: '019e2f3a-5b60-7c1d-9f2e-3a4b5c6d7e8f',
          key_id: 'Zk3mQ8vT1xYb',
          url: 'https://example.org/gone',
          host: 'example.org',
          options: { render_js: false, premium_proxy: false, timeout: 90_000 },
          code: 'dns_failed',
          credits: 0,
          reason: 'no_page',
          ms: 31,
        },
      ],
      next_cursor: 'MjAyNi0xMS0yMVQwNjo1OTo1OC4wMDBaIzAxOWUyZjNh',
    } satisfies ActivityPage,
  },
};
