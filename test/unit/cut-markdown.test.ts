import { expect, test } from 'vitest';
import { cutMarkdown } from '../../shared/domain/scrape/extraction/cut-markdown.ts';

const words = (count: number) => 'word '.repeat(count).trimEnd();

test('a page that a model can read is left whole', () => {
  expect(cutMarkdown('# A page\n\nWords.\n')).toEqual({ markdown: '# A page\n\nWords.\n' });
});

test('a longer one ends before the last heading that fits, which is none in code', () => {
  const kept = `# First\n\n${words(60)}\n\n## Second\n\n${words(60)}`;
  const code = '```\n## No heading\n```';
  const markdown = `${kept}\n\n## Third\n\n${code}\n\n${words(400)}\n`;
  expect(cutMarkdown(markdown, 300)).toEqual({ markdown: kept, truncated: true });
});

test('without a heading in its second half it ends with a line, and else with a character', () => {
  const lines = `# First\n\n${words(60)}\n${words(60)}`;
  expect(cutMarkdown(`${lines}\n${words(400)}`, 260)).toEqual({ markdown: lines, truncated: true });
  expect(cutMarkdown('😀'.repeat(20), 11)).toEqual({ markdown: '😀'.repeat(5), truncated: true });
});

test('what Chinese, Russian and signs cost is more than English', () => {
  const kept = ['a', 'ж', '中', '!'].map((sign) => cutMarkdown(sign.repeat(1_000), 100).markdown.length);
  expect(kept.map((length) => Math.round(length / 5))).toEqual([60, 30, 15, 30]);
});
