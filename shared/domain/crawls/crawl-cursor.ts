import { AppError } from '../../errors.ts';

/** How far the results of a crawl were read: the wave, from 0, and the cursor within its batch. */
export type CrawlCursor = { wave: number; within: string | undefined };

export const crawlCursor = ({ wave, within = '' }: CrawlCursor): string => `${wave}.${within}`;

export const afterWave = (wave: number): CrawlCursor => ({ wave: wave + 1, within: undefined });

/** Throws `invalid_request` for text that is no cursor of a crawl with so many merged waves. */
export function readCrawlCursor(cursor: string | undefined, waves: number): CrawlCursor {
  if (cursor === undefined) return { wave: 0, within: undefined };
  const [, wave, within = ''] = /^(\d{1,6})\.(.*)$/s.exec(cursor) ?? [];
  if (wave !== undefined && Number(wave) <= waves && (within === '' || Number(wave) < waves))
    return { wave: Number(wave), within: within === '' ? undefined : within };
  throw new AppError('invalid_request', {
    message: "Invalid value for 'cursor': expected the cursor of a line of this crawl.",
    fields: { param: 'cursor' },
  });
}
