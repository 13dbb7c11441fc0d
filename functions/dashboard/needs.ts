import type { AnyPageRoute } from '../../shared/api/page-routes.ts';
import type { SignUpPolicy } from '../../shared/domain/people/sign-up-policy.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import type { UrlPolicy } from '../../shared/request/webhook-url.ts';
import type { MemberCall, PageCall } from './page-call.ts';
import type { DashboardReply } from './replies.ts';

/** What the API responds to a submit. */
export type Submitted = { status: number; json: Readonly<Record<string, unknown>> };

export type Needs = Pick<
  Effects,
  | 'keys'
  | 'notes'
  | 'organizations'
  | 'usage'
  | 'activity'
  | 'count'
  | 'deliveries'
  | 'identities'
  | 'notifierQueue'
  | 'people'
  | 'vault'
  | 'rateLimits'
  | 'sessions'
  | 'signUps'
  | 'webhooks'
  | 'now'
  | 'newId'
  | 'wait'
> & {
  batches: Effects['batches'];
  crawls: Effects['crawls'];
  chunks: Effects['chunks'];
  queue: Effects['queue'];
  jobs: Effects['jobs'];
  results: Pick<Effects['results'], 'link' | 'open'>;
  uploads: Pick<Effects['uploads'], 'read'>;
  /** Submits to the API by its rules, limits and prices, once for each `once`. Throws `busy`. */
  submit: (path: string, call: { key: string; once: string; body: object }) => Promise<Submitted>;
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
  ) => Promise<DashboardReply>;
};
