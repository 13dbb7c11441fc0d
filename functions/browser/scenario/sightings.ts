import type { CDPSession } from 'puppeteer-core';
import { MAX_URL_LENGTH } from '../../../shared/contract/scrape/page.ts';
import type { Network } from '../page/network.ts';

/** What the page has done since a mark, for instructions that wait for it. */
export type Sightings = {
  /** Everything from now on belongs to the instruction that begins. */
  mark: () => void;
  /**
   * URLs of responses, and of redirects to them, since the mark before the last: a click may be
   * answered before its wait begins.
   */
  responses: () => readonly string[];
  /** Documents since then, and since the last mark. */
  documents: () => number;
  documentsNow: () => number;
  /** The page wants to navigate, since the last mark. */
  isLeaving: () => boolean;
  /** URLs of windows that the page tried to open, since the last mark. */
  opened: () => readonly string[];
};

type Since = { responses: string[]; documents: number; isLeaving: boolean; opened: string[] };

/** A page may request any number, and longer URLs than are matched. */
const MAX_KEPT = 10_000;
/** An instruction's report names so many windows. */
const MAX_OPENED = 10;

export function watchPage(session: CDPSession, network: Pick<Network, 'on'>, mainFrame: string): Sightings {
  const urls = new Map<string, string[]>();
  const begin = (): Since => ({ responses: [], documents: 0, isLeaving: false, opened: [] });
  let [before, current] = [begin(), begin()];

  network.on((fact) => {
    if (fact.what === 'requested' && urls.size < MAX_KEPT && fact.url.length <= MAX_URL_LENGTH)
      urls.set(fact.id, [...((fact.isHop && urls.get(fact.id)) || []), fact.url]);
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
    mark: () => {
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
