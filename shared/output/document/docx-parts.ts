import { parseXml } from '../../html/parse-xml.ts';
import { mathOf } from './omml.ts';
import { all, attribute, childOf, firstOf } from './xml.ts';

/** Runs longer than that are no hidden ones, and are not searched again and again. */
const MAX_RUN = 10_000;
const RUN = new RegExp(
  `<(\\w+:)?r(?:\\s[^>]*)?>\\s*<\\1rPr>(?:(?!</\\1rPr>)[^]){0,${MAX_RUN}}<\\1vanish\\s*/>(?:(?!</\\1r>)[^]){0,${MAX_RUN}}</\\1r>`,
  'g',
);
const TEXT = /<(\w+:)?t(?:\s[^>]*)?>[^<]*<\/\1t>/g;
/** The reading of ideographs stands before them in the file. */
const RUBY =
  /<(\w+:)?ruby>(?:(?!<\1r(?:t|uby)>)[^]){0,2000}<\1rt>((?:(?!<\/\1rt>|<\1ruby>)[^]){0,5000})<\/\1rt>\s*<\1rubyBase>((?:(?!<\/\1rubyBase>)[^]){0,5000})<\/\1rubyBase>\s*<\/\1ruby>/g;

/** None is in another one, so a file of beginnings alone takes no longer. */
const FORMULA = /<(\w+:)?oMath(?:\s[^>]*)?>(?:(?!<\1oMath[\s>])[^])*?<\/\1oMath>/g;
const MARK = /\ue000(\d+)\ue001/g;

/**
 * A part of a Word document in elements that the package reads, without text that is not shown. Formulas go
 * to a list as MathML, with a mark in their place.
 */
export function readableXml(xml: string, formulas: string[]): string {
  const w = prefixOf(xml);
  return xml
    .replaceAll(MARK, '$1')
    .replaceAll(FORMULA, (formula) => {
      const root = firstOf(parseXml(formula), 'oMath');
      const at = formulas.push(root ? mathOf(root) : '') - 1;
      return `<${w}r><${w}t>\ue000${at}\ue001</${w}t></${w}r>`;
    })
    .replaceAll(/<(\/?)(\w+:)?oMathPara(?=[\s/>])/g, `<$1${w}smartTag`)
    .replaceAll(RUN, (run) => run.replaceAll(TEXT, ''))
    .replaceAll(RUBY, (_, prefix: string | undefined, reading: string, base: string) => {
      const [p, bracket] = [prefix ?? '', (sign: string) => `<${prefix ?? ''}t>${sign}</${prefix ?? ''}t>`];
      return `<${p}smartTag>${base}${bracket('(')}${reading}${bracket(')')}</${p}smartTag>`;
    })
    .replaceAll(/<(\/?)(\w+:)?(?:fldSimple|bdo|dir)(?=[\s/>])/g, '<$1$2smartTag')
    .replaceAll(/<(\w+:)?cr(?=[\s/>])/g, '<$1br')
    .replaceAll(/<\/(\w+:)?cr>/g, '</$1br>');
}

/** What names of WordprocessingML begin with. */
function prefixOf(xml: string): string {
  const [found, prefix] = /\sxmlns(?::(\w+))?="[^"]*wordprocessingml[^"]*main"/.exec(xml) ?? [];
  if (found === undefined) return 'w:';
  return prefix === undefined ? '' : `${prefix}:`;
}

/** The page with its formulas. */
export const withFormulas = (html: string, formulas: readonly string[]): string =>
  html.replaceAll(MARK, (_, at: string) => formulas[Number(at)] ?? '');

/** Text has level 9: ECMA-376, part 1, section 17.3.1.20. */
const BODY_LEVEL = 9;
const MAX_ANCESTORS = 20;

/** The styles of headings that go by other names, as rules of the package. */
export function headingRules(stylesXml: string): string[] {
  const styles = new Map(
    all(parseXml(stylesXml), 'style').map((style) => [attribute(style, 'styleId'), style]),
  );
  const levelOf = (id: string | undefined, depth = 0): number | undefined => {
    const style = styles.get(id);
    if (style === undefined || depth > MAX_ANCESTORS) return undefined;
    const valueOf = (name: string) => {
      const [element] = all(style, name);
      return element && attribute(element, 'val');
    };
    const properties = childOf(style, 'pPr');
    const outline = properties && childOf(properties, 'outlineLvl');
    if (outline) return Number(attribute(outline, 'val') ?? BODY_LEVEL);
    const [, named] = /^heading ([1-9])$/i.exec(valueOf('name') ?? '') ?? [];
    return named === undefined ? levelOf(valueOf('basedOn'), depth + 1) : Number(named) - 1;
  };
  return [...styles].flatMap(([id = '', style]) => {
    const level = attribute(style, 'type') === 'paragraph' ? levelOf(id) : undefined;
    const isHeading = level !== undefined && level >= 0 && level < BODY_LEVEL && /^[\w-]+$/.test(id);
    return isHeading ? `p.${id} => h${Math.min(level + 1, 6)}:fresh` : [];
  });
}
