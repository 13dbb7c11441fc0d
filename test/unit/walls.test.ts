import { glob, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Page } from '../../shared/contract/scrape/page.ts';
import { judge } from '../../shared/domain/scrape/verdict/judge.ts';
import { allWalls } from '../fixtures/walls/all-walls.ts';
import { cleanPages, TRACES } from '../fixtures/walls/clean-pages.ts';
import type { Response } from '../fixtures/walls/dress.ts';
import { page } from '../support/world/pages.ts';

const judged = ({ html, ...response }: Response) => {
  const it: Page = page(html, { contentType: 'text/html; charset=utf-8', ...response });
  return judge(it, it.url);
};

const documents: string[] = [];
for await (const path of glob('docs/**/*.md')) documents.push(await readFile(path, 'utf8'));

describe('of walls in the dresses of four sites', () => {
  const makers = [...new Set(allWalls.map(({ by }) => by))];

  test('there are more than 200, of more than 15 makers', () => {
    expect(allWalls.length).toBeGreaterThan(200);
    expect(makers.length).toBeGreaterThan(15);
  });

  for (const maker of makers)
    test(`each of ${maker ?? 'a maker that does not show'} is caught and has its name`, () => {
      const verdicts = allWalls.filter(({ by }) => by === maker).map(judged);
      expect(new Set(verdicts.map(({ kind, by }) => `${kind} ${by}`))).toEqual(
        new Set([`bot_wall ${maker}`]),
      );
    });
});

test('a wall is caught in another charset than UTF-8', () => {
  const wall = allWalls.find(({ html }) => judged({ html }).kind === 'bot_wall');
  const body = Buffer.from(`\ufeff${wall?.html}`, 'utf16le');
  const it: Page = { ...page(''), contentType: 'text/html', body };
  expect(judge(it, it.url)).toMatchObject({ kind: 'bot_wall' });
});

test.each(cleanPages)('a page is not taken for a wall which is $what', (it) => {
  expect(judged(it).kind).not.toBe('bot_wall');
});

test.each(TRACES)('a page is not taken for a wall for what %s leaves on each page', (_, mark, headers) => {
  const texts = documents.flatMap((text) => [text, text.slice(0, 300)]);
  const taken = texts.filter((text) => {
    const html = `<!DOCTYPE html><html><head><title>Docs</title></head><body>${mark}<pre>${text.replaceAll('<', '&lt;')}</pre></body></html>`;
    return judged({ html, headers }).kind === 'bot_wall';
  });
  expect(taken).toEqual([]);
});
