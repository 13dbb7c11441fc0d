import { compile, type Options, selectAll, selectOne } from 'css-select';
import { AttributeAction, isTraversal, parse, type Selector, SelectorType } from 'css-what';
import { type AnyNode, type Document, Element, isTag, isText } from 'domhandler';
import { getChildren, getParent, getSiblings, removeSubsets, textContent as getText } from 'domutils';
import { childrenOf, hasShadowRoots, lightParentOf, siblingsOf } from '../../html/shadow-roots.ts';
import { attributeOf, isQuirky } from '../../html/tree.ts';
import { type Key, type PageIndex, placeOf } from './page-index.ts';

/** What an element has, and the id of an element that it is inside of. */
type Place = { by: Key; value: string; within: string | undefined };
type Query = { matches: (node: AnyNode) => boolean; places: readonly Place[]; isSimple: boolean } | undefined;

/** Tests only elements with the selector's last id, class or name, inside the one with the id before it. */
export function cssOver(index: () => PageIndex) {
  const queries = new Map<string, Query>();
  let known: Options<AnyNode, Element> | undefined;
  return (selector: string, context: Document | Element, isList: boolean): Element[] => {
    const options = (known ??= optionsFor(index().document));
    if (!queries.has(selector)) queries.set(selector, queryOf(selector, options));
    const query = queries.get(selector);
    // In an element's context, the package matches every part of the selector inside that element.
    if (!query || (context instanceof Element && !query.isSimple))
      return searched(selector, context, isList, options);
    const candidates = query.places.flatMap((place) => candidatesAt(index(), place, context));
    const found = candidates.map((some) =>
      isList ? some.filter(query.matches) : first(some, query.matches),
    );
    const [only = []] = found;
    const all = found.length === 1 ? only : [...new Set(found.flat())];
    if (found.length > 1) all.sort((a, b) => placeOf(a) - placeOf(b));
    return isList ? all : all.slice(0, 1);
  };
}

function candidatesAt({ elements, document }: PageIndex, place: Place, context: Document | Element) {
  const { by, value, within } = place;
  // A query of several parts is searched from the document.
  const around = within === undefined ? [context] : elements('id', within, document);
  return around.map((element) => elements(by, value, element));
}

function first(elements: readonly Element[], matches: (node: AnyNode) => boolean): Element[] {
  const found = elements.find(matches);
  return found ? [found] : [];
}

function searched(
  selector: string,
  context: Document | Element,
  isList: boolean,
  options: Options<AnyNode, Element>,
): Element[] {
  if (isList) return selectAll(selector, context, options);
  const one = selectOne(selector, context, options);
  return one ? [one] : [];
}

/** How a browser matches: by the page's own tree, wherever slotted elements stand, and names without case. */
function optionsFor(document: Document): Options<AnyNode, Element> {
  const adapter = {
    ...{ isTag, removeSubsets, getText },
    getName: ({ name }: Element) => name.toLowerCase(),
    getAttributeValue: attributeOf,
    hasAttrib: (element: Element, name: string) => attributeOf(element, name) !== undefined,
  };
  const composed = {
    getParent: (node: AnyNode) => lightParentOf(node),
    getChildren: (node: AnyNode) => ('children' in node ? [...childrenOf(node)] : []),
    getSiblings: (node: AnyNode) => [...siblingsOf(node)],
  };
  return {
    adapter: {
      ...adapter,
      ...(hasShadowRoots(document) ? composed : { getParent, getChildren, getSiblings }),
    },
    quirksMode: isQuirky(document),
    pseudos: { empty: isEmpty },
  };
}

/** White space counts in browsers, and not in the package. */
const isEmpty = (element: Element) =>
  childrenOf(element).every((child) => !isTag(child) && !(isText(child) && child.data !== ''));

/** Undefined if it depends on the context, or if nothing is known about the elements that it ends with. */
function queryOf(selector: string, options: Options<AnyNode, Element>): Query {
  const alternatives = parse(selector);
  const places = alternatives.map(placeIn);
  const isFixed = !alternatives.some(([first]) => !first || isTraversal(first)) && !/:scope/i.test(selector);
  if (!isFixed || !places.every((place) => place !== undefined)) return undefined;
  const isSimple = !alternatives.some((alternative) => alternative.some(isTraversal));
  const placed = alternatives.map((alternative) => alternative.map(byPosition));
  const matches = compile<AnyNode, Element>(placed, {
    ...options,
    pseudos: { ...options.pseudos, [POSITION]: isAt },
  });
  return { matches, places, isSimple };
}

function placeIn(alternative: readonly Selector[]): Place | undefined {
  const [by, value] = keyOf(alternative) ?? [];
  return by === undefined || value === undefined ? undefined : { by, value, within: idAround(alternative) };
}

/** The id of an ancestor. Undefined after a sibling combinator, which leads out of that element. */
function idAround(alternative: readonly Selector[]): string | undefined {
  const last = alternative.findLastIndex(isTraversal);
  for (let at = last; at >= 0; at -= 1) {
    const token = alternative[at];
    if (!token) return undefined;
    if (isTraversal(token) && !INWARDS.has(token.type)) return undefined;
    const id = exact(token, 'id', AttributeAction.Equals);
    if (id !== undefined) return id;
  }
  return undefined;
}

const INWARDS: ReadonlySet<string> = new Set([SelectorType.Child, SelectorType.Descendant]);

function keyOf(alternative: readonly Selector[]): [Key, string] | undefined {
  const last = alternative.slice(alternative.findLastIndex(isTraversal) + 1);
  const id = last.map((token) => exact(token, 'id', AttributeAction.Equals)).find(Boolean);
  if (id !== undefined) return ['id', id];
  const named = last.map((token) => exact(token, 'class', AttributeAction.Element)).find(Boolean);
  if (named !== undefined) return ['class', named];
  const tag = last.find((token) => token.type === SelectorType.Tag);
  return tag && !tag.namespace ? ['name', tag.name.toLowerCase()] : undefined;
}

/** The exact value that an attribute must have. */
function exact(token: Selector, name: string, action: AttributeAction): string | undefined {
  if (token.type !== SelectorType.Attribute || token.name !== name || token.action !== action)
    return undefined;
  return token.ignoreCase !== true && !token.namespace && /^\S+$/.test(token.value) ? token.value : undefined;
}

const POSITION = 'position';

/** `:nth-child(7)`, for which the package counts the children before each element again. */
function byPosition(token: Selector): Selector {
  if (token.type !== SelectorType.Pseudo || token.name !== 'nth-child') return token;
  const isNumber = typeof token.data === 'string' && /^\s*[1-9]\d*\s*$/.test(token.data);
  return isNumber ? { ...token, name: POSITION } : token;
}

const positions = new WeakMap<Element, number>();

function isAt(element: Element, position?: string | null): boolean {
  if (!positions.has(element))
    siblingsOf(element)
      .filter(isTag)
      .forEach((child, index) => positions.set(child, index + 1));
  return positions.get(element) === Number(position);
}
