import type { ScrapeRequest } from '../../contract/scrape-request.ts';

const NOT_FOUND = 404;
const GONE = 410;

/** Credits that a scrape costs if it is charged, and that are held while it runs. */
export function cost({ renderJs, premiumProxy }: Pick<ScrapeRequest, 'renderJs' | 'premiumProxy'>): number {
  if (renderJs && premiumProxy) return 25;
  if (premiumProxy) return 10;
  return renderJs ? 5 : 1;
}

/**
 * Credits charged for a delivered document: its cost if the target said 2xx, 3xx, 404 or 410, which are answers to
 * the question asked; nothing for other 4xx and for 5xx, which are refusals and failures.
 */
export function charge(
  request: Pick<ScrapeRequest, 'renderJs' | 'premiumProxy'>,
  targetStatus: number,
): number {
  const isAnswer = targetStatus < 400 || targetStatus === NOT_FOUND || targetStatus === GONE;
  return isAnswer ? cost(request) : 0;
}
