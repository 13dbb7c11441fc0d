import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type DefaultTreeAdapterTypes, parse, parseFragment } from 'parse5';
import { expect, inject, test } from 'vitest';
import { markdownOf } from '../support/world/converted.ts';
import { randomHtml } from '../support/life/random-html.ts';

const RUNS = inject('extent') === 'all' ? 20_000 : 200;

test('a reader of Markdown sees the words and links of the page, in their order, and nothing else', () => {
  const isSame = (html: string) => {
    const markdown = markdownOf(html) ?? '';
    const read = micromark(markdown, {
      extensions: [gfm()],
      htmlExtensions: [gfmHtml()],
      allowDangerousHtml: true,
    });
    expect({ html, markdown, ...seen(parseFragment(read)) }).toEqual({
      html,
      markdown,
      ...seen(parse(html)),
    });
  };
  fc.assert(fc.property(randomHtml, isSame), { numRuns: RUNS });
});

type Node = DefaultTreeAdapterTypes.Node;

/** Characters that show, and the texts of links. */
function seen(root: Node) {
  const links: string[][] = [];
  const textOf = (node: Node): string => {
    if ('value' in node) return node.value;
    const children = 'childNodes' in node ? node.childNodes : [];
    const text = children.map(textOf).join('');
    const href = 'attrs' in node ? node.attrs.find(({ name }) => name === 'href')?.value : undefined;
    if (href !== undefined && shown(text) !== '') links.push([href, shown(text)]);
    return text;
  };
  return { text: shown(textOf(root)), links };
}

const shown = (text: string) => text.replace(/[\s\u00ad\u200b\ufeff]+/g, '');
