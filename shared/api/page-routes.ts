/** One address of the dashboard, for its router and its gateway. */
export type PageRoute = {
  method: 'GET' | 'POST';
  /** With `{name}` for the end of a path that varies. */
  path: string;
  operationId: string;
  /** Visitors without a session are led to sign in. */
  auth: 'session' | 'none';
  /** Reads many items: it takes one of the organization's places. */
  takesPlace?: true;
};

/** Every page and form of the dashboard. Router and API Gateway's resources derive from it. */
export const pageRoutes = [
  { method: 'GET', path: '/', operationId: 'home', auth: 'session' },
  { method: 'GET', path: '/arrived', operationId: 'arrived', auth: 'session' },
  { method: 'GET', path: '/usage', operationId: 'usage', auth: 'session', takesPlace: true },
  { method: 'GET', path: '/usage.csv', operationId: 'usageFile', auth: 'session', takesPlace: true },
  { method: 'GET', path: '/activity', operationId: 'activity', auth: 'session', takesPlace: true },
  { method: 'GET', path: '/activity/{id}', operationId: 'activityLine', auth: 'session' },
  { method: 'GET', path: '/limits', operationId: 'limits', auth: 'session' },
  { method: 'GET', path: '/keys', operationId: 'keys', auth: 'session' },
  { method: 'POST', path: '/keys', operationId: 'createKey', auth: 'session' },
  { method: 'GET', path: '/rotate-key', operationId: 'showRotation', auth: 'session' },
  { method: 'POST', path: '/rotate-key', operationId: 'rotateKey', auth: 'session' },
  { method: 'GET', path: '/revoke-key', operationId: 'showRevocation', auth: 'session' },
  { method: 'POST', path: '/revoke-key', operationId: 'revokeKey', auth: 'session' },
  { method: 'GET', path: '/jobs', operationId: 'jobs', auth: 'session', takesPlace: true },
  { method: 'GET', path: '/cancel-job', operationId: 'showJobCancel', auth: 'session' },
  { method: 'POST', path: '/cancel-job', operationId: 'cancelJob', auth: 'session' },
  { method: 'POST', path: '/run-again', operationId: 'runAgain', auth: 'session' },
  { method: 'GET', path: '/job-result', operationId: 'jobResult', auth: 'session' },
  { method: 'GET', path: '/batches', operationId: 'batches', auth: 'session', takesPlace: true },
  { method: 'GET', path: '/cancel-batch', operationId: 'showBatchCancel', auth: 'session' },
  { method: 'POST', path: '/cancel-batch', operationId: 'cancelBatch', auth: 'session' },
  { method: 'POST', path: '/retry-batch', operationId: 'retryBatch', auth: 'session' },
  { method: 'GET', path: '/batch-results', operationId: 'batchResults', auth: 'session', takesPlace: true },
  { method: 'GET', path: '/crawls', operationId: 'crawls', auth: 'session', takesPlace: true },
  { method: 'GET', path: '/crawls/{id}', operationId: 'crawl', auth: 'session', takesPlace: true },
  { method: 'GET', path: '/cancel-crawl', operationId: 'showCrawlCancel', auth: 'session' },
  { method: 'POST', path: '/cancel-crawl', operationId: 'cancelCrawl', auth: 'session' },
  { method: 'GET', path: '/webhooks', operationId: 'webhooks', auth: 'session' },
  { method: 'POST', path: '/webhooks', operationId: 'createWebhook', auth: 'session' },
  { method: 'GET', path: '/change-webhook', operationId: 'showDisabling', auth: 'session' },
  { method: 'POST', path: '/change-webhook', operationId: 'changeWebhook', auth: 'session' },
  { method: 'GET', path: '/remove-webhook', operationId: 'showWebhookRemoval', auth: 'session' },
  { method: 'POST', path: '/remove-webhook', operationId: 'removeWebhook', auth: 'session' },
  { method: 'POST', path: '/test-webhook', operationId: 'testWebhook', auth: 'session' },
  { method: 'GET', path: '/rotate-webhook', operationId: 'showSecretRotation', auth: 'session' },
  { method: 'POST', path: '/rotate-webhook', operationId: 'rotateWebhook', auth: 'session' },
  { method: 'POST', path: '/redeliver', operationId: 'redeliver', auth: 'session' },
  { method: 'GET', path: '/playground', operationId: 'playground', auth: 'session' },
  { method: 'POST', path: '/playground-key', operationId: 'playgroundKey', auth: 'session' },
  { method: 'GET', path: '/members', operationId: 'members', auth: 'session' },
  { method: 'POST', path: '/members', operationId: 'inviteMember', auth: 'session' },
  { method: 'GET', path: '/withdraw-invitation', operationId: 'showWithdrawal', auth: 'session' },
  { method: 'POST', path: '/withdraw-invitation', operationId: 'withdrawInvitation', auth: 'session' },
  { method: 'POST', path: '/change-role', operationId: 'changeRole', auth: 'session' },
  { method: 'GET', path: '/remove-member', operationId: 'showRemoval', auth: 'session' },
  { method: 'POST', path: '/remove-member', operationId: 'removeMember', auth: 'session' },
  { method: 'GET', path: '/leave', operationId: 'showLeaving', auth: 'session' },
  { method: 'POST', path: '/leave', operationId: 'leave', auth: 'session' },
  { method: 'GET', path: '/settings', operationId: 'settings', auth: 'session' },
  { method: 'POST', path: '/rename-organization', operationId: 'renameOrganization', auth: 'session' },
  { method: 'POST', path: '/rename', operationId: 'rename', auth: 'session' },
  { method: 'POST', path: '/change-password', operationId: 'changePassword', auth: 'session' },
  { method: 'POST', path: '/end-sessions', operationId: 'endSessions', auth: 'session' },
  { method: 'GET', path: '/delete-account', operationId: 'showDeletion', auth: 'session' },
  { method: 'POST', path: '/delete-account', operationId: 'deleteAccount', auth: 'session' },
  { method: 'GET', path: '/sign-up', operationId: 'showSignUp', auth: 'none' },
  { method: 'POST', path: '/sign-up', operationId: 'signUp', auth: 'none' },
  { method: 'GET', path: '/confirm', operationId: 'showConfirm', auth: 'none' },
  { method: 'POST', path: '/confirm', operationId: 'confirm', auth: 'none' },
  { method: 'POST', path: '/resend', operationId: 'resend', auth: 'none' },
  { method: 'GET', path: '/sign-in', operationId: 'showSignIn', auth: 'none' },
  { method: 'POST', path: '/sign-in', operationId: 'signIn', auth: 'none' },
  { method: 'POST', path: '/sign-out', operationId: 'signOut', auth: 'none' },
  { method: 'GET', path: '/forgot', operationId: 'showForgot', auth: 'none' },
  { method: 'POST', path: '/forgot', operationId: 'forgot', auth: 'none' },
  { method: 'GET', path: '/reset', operationId: 'showReset', auth: 'none' },
  { method: 'POST', path: '/reset', operationId: 'reset', auth: 'none' },
  { method: 'GET', path: '/join', operationId: 'showJoin', auth: 'none' },
  { method: 'POST', path: '/join', operationId: 'join', auth: 'none' },
  { method: 'GET', path: '/assets/{file}', operationId: 'asset', auth: 'none' },
] as const satisfies readonly PageRoute[];

export type AnyPageRoute = (typeof pageRoutes)[number];
