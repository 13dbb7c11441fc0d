import type { CDPSession } from 'puppeteer-core';
import type { JsScenario } from '../../../shared/contract/scrape/js-scenario.ts';
import type { Page } from '../../../shared/contract/scrape/page.ts';
import { isCharged } from '../../../shared/domain/accounts/credits/charge.ts';
import { changesPages, isChanged } from '../../../shared/domain/scrape/scenario/unpaid.ts';
import { judge } from '../../../shared/domain/scrape/verdict/judge.ts';
import type { MainDocument } from '../page/documents.ts';
import { KEEP_BODIES } from '../page/prepare-page.ts';
import type { Network } from '../page/network.ts';

export type SentBody = {
  /** Makes Chromium keep bodies from now on. */
  begin: () => Promise<unknown>;
  /** If the page is not charged: as its target sent it, because its DOM may be from an earlier document. */
  unlessCharged: (page: Page, document: MainDocument | undefined, requested: string) => Promise<Page>;
};

/** For a scenario that changes what pages show: a script may draw a wall, or copy a page into another. */
export function openSentBody(
  session: CDPSession,
  network: Pick<Network, 'on'>,
  scenario: JsScenario | undefined,
): SentBody | undefined {
  if (!changesPages(scenario)) return undefined;
  const bodyOf = keepLastBodies(session, network);
  return {
    begin: () => session.send('Network.enable', KEEP_BODIES),
    async unlessCharged(page, document, requested) {
      if (!isChanged(page.report) || page.renderState === undefined) return page;
      if (isCharged({ ...page, verdict: judge(page, requested) })) return page;
      const { pictures: _pictures, ...rest } = page;
      const sent = { ...rest, body: await bodyOf(document?.id) };
      const verdict = judge(sent, requested);
      return isCharged({ ...sent, verdict }) ? { ...page, verdict } : sent;
    },
  };
}

/** The shown document, and one on its way. */
const KEPT = 2;

/** Read as soon as it has arrived: a document that a script makes later has the same id. */
function keepLastBodies(session: CDPSession, network: Pick<Network, 'on'>) {
  let last: { id: string; body?: Promise<Uint8Array> }[] = [];
  network.on((fact) => {
    if (fact.what === 'requested' && fact.isNavigation && !fact.isRedirect)
      last = [...last.slice(1 - KEPT), { id: fact.id }];
    const ended = fact.what === 'ended' && last.find(({ id }) => id === fact.id);
    if (ended) ended.body ??= readBody(session, ended.id);
  });
  return (shown: string | undefined) => last.find(({ id }) => id === shown)?.body ?? new Uint8Array();
}

/** Empty if it is too large to be kept. */
async function readBody(session: CDPSession, requestId: string): Promise<Uint8Array> {
  try {
    const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId });
    return Buffer.from(body, base64Encoded ? 'base64' : 'utf8');
  } catch {
    return new Uint8Array();
  }
}
