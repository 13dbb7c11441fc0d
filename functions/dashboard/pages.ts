import { assetReply } from './assets.ts';
import type { Needs, Pages } from './needs.ts';
import { activityPages } from './pages/activity.ts';
import { activityLine } from './pages/activity-line.ts';
import { batchesPages } from './pages/batches.ts';
import { confirmPages } from './pages/confirm.ts';
import { crawlsPages } from './pages/crawls.ts';
import { deletionPages } from './pages/deletion.ts';
import { homePages } from './pages/home.ts';
import { invitationsPages } from './pages/invitations.ts';
import { jobsPages } from './pages/jobs.ts';
import { joinPages } from './pages/join.ts';
import { keysPages } from './pages/keys.ts';
import { limitsPages } from './pages/limits.ts';
import { membersPages } from './pages/members.ts';
import { passwordPages } from './pages/password.ts';
import { playgroundPages } from './pages/playground.ts';
import { revocationPages } from './pages/revocation.ts';
import { rotationPages } from './pages/rotation.ts';
import { settingsPages } from './pages/settings.ts';
import { signInPages } from './pages/sign-in.ts';
import { submitPages } from './pages/submits.ts';
import { signUpPages } from './pages/sign-up.ts';
import { usageFile } from './pages/usage-file.ts';
import { usagePages } from './pages/usage.ts';
import { webhookChanges } from './pages/webhook-changes.ts';
import { webhookQuestions } from './pages/webhook-questions.ts';
import { webhookRemoval } from './pages/webhook-removal.ts';
import { webhookSecrets } from './pages/webhook-secrets.ts';
import { webhooksPages } from './pages/webhooks.ts';

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
    ...revocationPages(fx),
    ...rotationPages(fx),
    ...submitPages(fx),
    ...jobsPages(fx),
    ...batchesPages(fx),
    ...crawlsPages(fx),
    ...webhooksPages(fx),
    ...webhookSecrets(fx),
    ...webhookChanges(fx),
    ...webhookQuestions(fx),
    ...webhookRemoval(fx),
    ...playgroundPages(fx),
    ...membersPages(fx),
    ...invitationsPages(fx),
    ...settingsPages(fx),
    ...deletionPages(fx),
    ...signUpPages(fx),
    ...confirmPages(fx),
    ...signInPages(fx),
    ...passwordPages(fx),
    ...joinPages(fx),
    asset: ({ params }) => Promise.resolve(assetReply(params.file ?? '')),
  };
}
