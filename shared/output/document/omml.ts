import { isTag, type Element } from 'domhandler';
import { elementsOf, rawText } from '../../html/tree.ts';
import { element, escaped } from './html.ts';
import { all, attribute, childOf, childrenOf, local } from './xml.ts';

/** Formulas of Office as MathML: ECMA-376, part 1, section 22.1. */
export const mathOf = (formula: Element): string => element('math', rowOf(formula));

const rowOf = (parent: Element | undefined): string =>
  parent === undefined
    ? element('mrow', '')
    : element(
        'mrow',
        elementsOf(parent)
          .filter((child) => !/Pr$/.test(local(child)))
          .map(partOf)
          .join(''),
      );

const argument = (parent: Element, name: string) => rowOf(childOf(parent, name));

/** Elements of MathML by the names that Office has for them and for what they hold. */
const PLACES: Readonly<Record<string, readonly [name: string, ...places: string[]]>> = {
  f: ['mfrac', 'num', 'den'],
  sSup: ['msup', 'e', 'sup'],
  sSub: ['msub', 'e', 'sub'],
  sSubSup: ['msubsup', 'e', 'sub', 'sup'],
  limLow: ['munder', 'e', 'lim'],
  limUpp: ['mover', 'e', 'lim'],
};

function partOf(part: Element): string {
  const name = local(part);
  const [into, ...places] = Object.hasOwn(PLACES, name) ? (PLACES[name] ?? []) : [];
  if (into !== undefined) return element(into, places.map((place) => argument(part, place)).join(''));
  switch (name) {
    case 'r':
      return childrenOf(part, 't')
        .map((text) => tokensOf(rawText(text), said(part, 'sty') === 'p'))
        .join('');
    case 'rad': {
      const hasDegree = textIn(part, 'deg') !== '';
      return element(
        hasDegree ? 'mroot' : 'msqrt',
        argument(part, 'e') + (hasDegree ? argument(part, 'deg') : ''),
      );
    }
    case 'nary': {
      const sign = element('mo', escaped(said(part, 'chr') ?? '\u222b'));
      return element('msubsup', sign + argument(part, 'sub') + argument(part, 'sup')) + argument(part, 'e');
    }
    case 'd': {
      const [open, close] = [said(part, 'begChr') ?? '(', said(part, 'endChr') ?? ')'];
      const inside = childrenOf(part, 'e')
        .map(rowOf)
        .join(operator(said(part, 'sepChr') ?? '|'));
      return operator(open) + inside + operator(close);
    }
    case 'acc':
      return element('mover', argument(part, 'e') + operator(accentOf(said(part, 'chr') ?? '\u0302')));
    case 'm':
      return tableOf(childrenOf(part, 'mr').map((row) => childrenOf(row, 'e')));
    case 'eqArr':
      return tableOf(childrenOf(part, 'e').map((line) => [line]));
    default:
      return rowOf(part);
  }
}

const operator = (sign: string) => (sign === '' ? '' : element('mo', escaped(sign)));

const textIn = (part: Element, name: string) => {
  const place = childOf(part, name);
  return place ? all(place, 't').map(rawText).join('').trim() : '';
};

/** A property, such as the sign of a sum. */
function said(part: Element, name: string): string | undefined {
  const [property] = elementsOf(part).filter((child) => isTag(child) && /Pr$/.test(local(child)));
  const value = property && childOf(property, name);
  return value && attribute(value, 'val');
}

function tableOf(rows: readonly (readonly Element[])[]): string {
  const lines = rows.map((cells) =>
    element('mtr', cells.map((cell) => element('mtd', rowOf(cell))).join('')),
  );
  return element('mtable', lines.join(''));
}

/** Signs that stand above a letter, as signs of their own. */
const ACCENTS = new Map([
  ['\u0302', '^'],
  ['\u0303', '~'],
  ['\u0304', '\u00af'],
  ['\u0305', '\u00af'],
  ['\u0307', '\u02d9'],
  ['\u0308', '\u00a8'],
  ['\u20d7', '\u2192'],
]);
const accentOf = (sign: string) => ACCENTS.get(sign) ?? sign;

/** Numbers, names and signs. Upright letters are one name, such as `sin`; others are each a variable. */
function tokensOf(text: string, isUpright: boolean): string {
  const tokens = isUpright ? /\d+(?:[.,]\d+)*|\p{L}+|\S/gu : /\d+(?:[.,]\d+)*|\p{L}|\S/gu;
  return [...text.matchAll(tokens)]
    .map(([token]) => element(/^\d/.test(token) ? 'mn' : /^\p{L}/u.test(token) ? 'mi' : 'mo', escaped(token)))
    .join('');
}
