import type { AnyPageRoute } from '../../shared/api/page-routes.ts';
import type { SignUpPolicy } from '../../shared/domain/account/sign-up-policy.ts';
import type { Effects } from '../../shared/ports.ts';
import type { UrlPolicy } from '../../shared/request/webhook-url.ts';
import { assetReply } from './assets.ts';
import type { MemberCall, PageCall } from './page-call.ts';
import type { PageReply } from './page-reply.ts';
import { activityPages } from './pages/activity.ts';
import { activityLine } from './pages/activity-line.ts';
import { batchesPages } from './pages/batches.ts';
import { confirmPages } from './pages/confirm.ts';
import { homePages } from './pages/home.ts';
import { jobsPages } from './pages/jobs.ts';
import { joinPages } from './pages/join.ts';
import { keysPages } from './pages/keys.ts';
import { limitsPages } from './pages/limits.ts';
import { membersPages } from './pages/members.ts';
import { passwordPages } from './pages/password.ts';
import { playgroundPages } from './pages/playground.ts';
import { settingsPages } from './pages/settings.ts';
import { signInPages } from './pages/sign-in.ts';
import { signUpPages } from './pages/sign-up.ts';
import { usageFile } from './pages/usage-file.ts';
import { usagePages } from './pages/usage.ts';
import { webhookChanges } from './pages/webhook-changes.ts';
import { webhookSecrets } from './pages/webhook-secrets.ts';
import { webhooksPages } from './pages/webhooks.ts';

export type Needs = Pick<
  Effects,
  | 'accounts'
  | 'activity'
  | 'count'
  | 'deliveries'
  | 'identities'
  | 'notices'
  | 'people'
  | 'vault'
  | 'visits'
  | 'webhooks'
  | 'now'
  | 'newId'
  | 'wait'
> & {
  batches: Effects['batches'];
  chunks: Effects['chunks'];
  jobs: Effects['jobs'];
  results: Pick<Effects['results'], 'link'>;
  /** Where the API is, for the calls that pages show. */
  apiUrl: string;
  /** Where the dashboard is, if the API takes calls from its pages. */
  dashboardUrl?: string | undefined;
  /** The page that those calls scrape. */
  examplePage?: string | undefined;
  signUpPolicy: SignUpPolicy;
  /** Which URLs may receive events. */
  webhookUrls: UrlPolicy;
};

/** The pages of the dashboard: all routes of the list, and no others. */
export type Pages = {
  [R in AnyPageRoute as R['operationId']]: (
    call: R extends { auth: 'session' } ? MemberCall : PageCall,
  ) => Promise<PageReply>;
};

/** Each file of `pages` handles some of the routes. */
export function pages(fx: Needs): Pages {
  return {
    ...homePages(fx),
    ...usagePages(fx),
    ...usageFile(fx),
    ...activityPages(fx),
    ...activityLine(fx),
    ...limitsPages(fx),
    ...keysPages(fx),
    ...jobsPages(fx),
    ...batchesPages(fx),
    ...webhooksPages(fx),
    ...webhookSecrets(fx),
    ...webhookChanges(fx),
    ...playgroundPages(fx),
    ...membersPages(fx),
    ...settingsPages(fx),
    ...signUpPages(fx),
    ...confirmPages(fx),
    ...signInPages(fx),
    ...passwordPages(fx),
    ...joinPages(fx),
    asset: ({ params }) => Promise.resolve(assetReply(params.file ?? '')),
  };
}
