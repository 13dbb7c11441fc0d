import { cost } from '../../../shared/domain/accounts/credits/charge.ts';
import { AppError, catalogue } from '../../../shared/errors.ts';
import { createdBy } from '../../../shared/use-cases/people/member-keys.ts';
import { createPlaygroundKey } from '../../../shared/use-cases/people/playground-key.ts';
import { takeRateLimit } from '../limited.ts';
import type { MemberCall } from '../page-call.ts';
import { jsonReply, htmlReply } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { policyWith } from '../security-headers.ts';
import { playgroundPage } from '../views/playground-page.ts';

const PATH = '/api/v1/scraper';

/** A form for the API, which the page's script calls with a key of its own. */
export function playgroundPages(fx: Needs): Pick<Pages, 'playground' | 'playgroundKey'> {
  return {
    playground: (call) => {
      const { apiUrl, dashboardUrl } = fx;
      const isOpen = dashboardUrl !== undefined && new URL(dashboardUrl).origin === originOf(call);
      const page = playgroundPage(call, {
        endpoint: apiUrl + PATH,
        costs,
        isOpen,
        dashboardUrl,
        examplePage: fx.examplePage,
      });
      const headers = { 'Content-Security-Policy': policyWith(new URL(apiUrl).origin) };
      return htmlReply(page, isOpen ? { headers } : {});
    },
    playgroundKey: async (call) => {
      try {
        await takeRateLimit(fx, call, 'playground', call.person.email);
        return jsonReply(201, await createdBy(fx, call.person, () => createPlaygroundKey(fx, call.person)));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return jsonReply(catalogue[error.code].status, { message: error.message });
      }
    },
  };
}

/** By `render_js` and `premium_proxy`. */
const costs = [false, true].map((premiumProxy) =>
  [false, true].map((renderJs) => cost({ renderJs, premiumProxy })),
);

const originOf = ({ isLocal, headers }: MemberCall) =>
  `${isLocal ? 'http' : 'https'}://${headers.host ?? ''}`.toLowerCase();
