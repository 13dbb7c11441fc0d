import type { PageCall } from '../page-call.ts';

/** The notice that a page shows after a form. The URL has only its name. */
const notices = {
  stopped: 'The batch is cancelled. Jobs in progress may still complete.',
  crawlStopped: 'The crawl is cancelled. Pages in progress may still complete.',
  cancelled: 'The job is cancelled. Nothing is charged.',
  again: 'The job was submitted again. This is the new one.',
  confirmed: 'Your address is confirmed. Sign in to continue.',
  retried: 'The failed requests are retried in this new batch.',
  deleted: 'Your account is deleted.',
  disabled: 'The endpoint is disabled. It receives no events.',
  enabled: 'The endpoint is enabled.',
  endpoint: 'The endpoint is deleted. What was on its way to it is given up.',
  ended: 'All sessions have ended.',
  left: 'You have left the organization.',
  organization: 'The name of the organization is changed.',
  password: 'Your password is changed, and all other sessions have ended.',
  removed:
    'The member is removed. Their sessions and invitations have ended, and keys that they made still work.',
  removedWithKeys:
    'The member is removed. Their sessions and invitations have ended, and keys that they made stop working everywhere within 15 seconds.',
  renamed: 'Your name is changed.',
  resent: 'Another code is on its way.',
  reset: 'Your password is changed, and all sessions have ended. Sign in with the new one.',
  role: 'The role is changed.',
  sent: 'The event is on its way.',
  withdrawn: 'The invitation is withdrawn.',
  revoked: 'The key is revoked. It stops working everywhere within 15 seconds.',
} as const;

export type Notice = keyof typeof notices;

/** The path of a page that shows a notice. */
export const withNotice = (path: string, notice: Notice, more: Readonly<Record<string, string>> = {}) =>
  `${path}?${new URLSearchParams({ ...more, notice }).toString()}`;

export function noticeIn({ query }: PageCall): string | undefined {
  const [name = ''] = query.notice ?? [];
  return Object.hasOwn(notices, name) ? notices[name as Notice] : undefined;
}
