import { afterAll, describe, expect, test } from 'vitest';
import { scriptFonts } from '../../infra/constructs/script-fonts.ts';
import { picturesFrom } from '../../shared/contract/scrape/picture.ts';
import { browserPool } from '../support/browser/browser-pool.ts';
import { decodePng } from '../support/browser/decode-png.ts';
import { renderSite } from '../support/servers/render-site.ts';

/** Letters that differ, in the language of their script. */
const SCRIPTS = [
  ['simplified Chinese', 'zh-CN', '你好世界'],
  ['traditional Chinese', 'zh-TW', '繁體漢字'],
  ['Japanese', 'ja', 'あカ日語'],
  ['Korean', 'ko', '안녕하세'],
  ['Arabic', 'ar', 'سعبن'],
  ['Devanagari', 'hi', 'नमकअ'],
  ['Thai', 'th', 'กขคง'],
  ['no language', '', '你あ안ن'],
] as const;
const EMOJI = ['😀', '🎉', '❤️', '🇩🇪', '👩‍🚀', '👍🏽'];
const CELL = 100;

/** Letters side by side, then two of a private area that no font has. */
function pageOf(lang: string, letters: readonly string[]): string {
  const cells = [...letters, '\u{10fffd}', '\u{10fffc}'].map(
    (letter, index) => `<i style="left:${index * CELL}px">${letter}</i>`,
  );
  return `<html lang="${lang}"><style>body{margin:0;background:white}
    i{position:absolute;top:0;width:${CELL}px;height:${CELL}px;font:60px/${CELL}px sans-serif;overflow:hidden}</style>${cells.join('')}`;
}

const pages = new Map<string, string>([
  ...SCRIPTS.map(
    ([name, lang, letters]) => [`/${name}`.replaceAll(' ', '-'), pageOf(lang, Array.from(letters))] as const,
  ),
  ['/emoji', pageOf('', EMOJI)],
]);
const hasFonts = (await scriptFonts()).length > 0;
const site = await renderSite(Object.fromEntries(pages));
const browsers = await browserPool(1, [site.host]);
afterAll(() => Promise.all([browsers, site].map((open) => open[Symbol.asyncDispose]())));

type Cell = { ink: number; colors: number; pixels: string };

/** What is drawn in each cell of a page. */
async function cellsOf(path: string, count: number): Promise<Cell[]> {
  const screenshot = { width: 1_000, height: CELL };
  const { answer, body } = await browsers.render(`${site.origin}${path}`, 30_000, { screenshot });
  if (answer.outcome !== 'page') throw new Error(`${answer.code}: ${answer.message}`);
  const { screenshot: taken } = picturesFrom(body.subarray(answer.bytes), answer.pictures ?? {});
  const { at } = decodePng(taken?.body ?? new Uint8Array());
  return Array.from({ length: count }, (_, cell) => {
    const pixels: string[] = [];
    for (let y = 0; y < CELL; y += 1)
      for (let x = 0; x < CELL; x += 1) pixels.push(at(cell * CELL + x, y).join());
    const inked = pixels.filter((pixel) => pixel !== '255,255,255');
    const isColor = (pixel: string) => new Set(pixel.split(',')).size > 1;
    return { ink: inked.length, colors: new Set(inked.filter(isColor)).size, pixels: pixels.join(' ') };
  });
}

describe.runIf(hasFonts)('with the fonts of `npm run fonts`', () => {
  for (const [name, , text] of SCRIPTS)
    test(`each letter of ${name} is drawn, and is not a box`, async () => {
      const letters = Array.from(text);
      const cells = await cellsOf(`/${name}`.replaceAll(' ', '-'), letters.length + 1);
      for (const { ink } of cells.slice(0, letters.length)) expect(ink).toBeGreaterThan(200);
      // What has no glyph looks the same whatever it is.
      expect(new Set(cells.map(({ pixels }) => pixels)).size).toBe(letters.length + 1);
    });

  test('emoji are drawn in colours, joined and with flags', async () => {
    const cells = await cellsOf('/emoji', EMOJI.length + 1);
    const drawn = cells.slice(0, EMOJI.length);
    for (const { ink, colors } of drawn) {
      expect(ink).toBeGreaterThan(500);
      expect(colors).toBeGreaterThan(0);
    }
    expect(new Set(cells.map(({ pixels }) => pixels)).size).toBe(EMOJI.length + 1);
  });
});

test('what no font has is blank or a box, the same for all', async () => {
  const cells = await cellsOf('/emoji', EMOJI.length + 2);
  expect(cells.at(-1)?.pixels).toBe(cells.at(-2)?.pixels);
});
