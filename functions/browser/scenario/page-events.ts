import type { CDPSession } from 'puppeteer-core';
import { MAX_URL_LENGTH } from '../../../shared/contract/scrape/page.ts';
import type { Network } from '../page/network.ts';

/** Events of the page by instruction, for instructions that wait for events. */
export type PageEvents = {
  /** Later events belong to the next instruction. */
  startStep: () => void;
  /**
   * URLs of responses and their redirects, since the previous instruction began: a click's response may
   * come before the wait for it.
   */
  responses: () => readonly string[];
  /** Documents since then. */
  documents: () => number;
  /** Documents of the current instruction. */
  documentsNow: () => number;
  /** The page has requested a navigation in the current instruction. */
  isLeaving: () => boolean;
  /** URLs of windows that the page tried to open in the current instruction. */
  opened: () => readonly string[];
};

type Since = { responses: string[]; documents: number; isLeaving: boolean; opened: string[] };

/** A page may request any number, and longer URLs than are matched. */
const MAX_KEPT = 10_000;
/** An instruction's report names so many windows. */
const MAX_OPENED = 10;

export function watchPageEvents(
  session: CDPSession,
  network: Pick<Network, 'on'>,
  mainFrame: string,
): PageEvents {
  const urls = new Map<string, string[]>();
  const begin = (): Since => ({ responses: [], documents: 0, isLeaving: false, opened: [] });
  let [before, current] = [begin(), begin()];

  network.on((fact) => {
    if (fact.what === 'requested' && urls.size < MAX_KEPT && fact.url.length <= MAX_URL_LENGTH)
      urls.set(fact.id, [...((fact.isRedirect && urls.get(fact.id)) || []), fact.url]);
    if (fact.what === 'responded' && current.responses.length < MAX_KEPT)
      current.responses.push(...(urls.get(fact.id) ?? []));
    if (fact.what === 'committed') current.documents += 1;
  });
  const open = (url: string) => {
    const { opened } = current;
    if (opened.length < MAX_OPENED && !opened.includes(url)) opened.push(url);
  };
  session.on('Page.frameRequestedNavigation', ({ frameId, disposition, url }) => {
    if (disposition !== 'currentTab') open(url);
    else if (frameId === mainFrame) current.isLeaving = true;
  });
  session.on('Page.windowOpen', ({ url }) => open(url));
  return {
    startStep: () => {
      before = current;
      current = begin();
    },
    responses: () => [...before.responses, ...current.responses],
    documents: () => before.documents + current.documents,
    documentsNow: () => current.documents,
    isLeaving: () => current.isLeaving,
    opened: () => current.opened,
  };
}
