import { compile, selectAll, selectOne } from 'css-select';
import { AttributeAction, isTraversal, parse, type Selector, SelectorType } from 'css-what';
import { type AnyNode, type Document, Element } from 'domhandler';
import { elementsOf } from '../tree.ts';
import { type Key, type PageIndex, placeOf } from './page-index.ts';

/** What an element has, and the id of an element that it is inside of. */
type Place = { by: Key; value: string; within: string | undefined };
type Query = { matches: (node: AnyNode) => boolean; places: readonly Place[]; isSimple: boolean } | undefined;

/** Tests only elements with the selector's last id, class or name, inside the one with the id before it. */
export function cssOver(index: () => PageIndex) {
  const queries = new Map<string, Query>();
  return (selector: string, context: Document | Element, isList: boolean): Element[] => {
    if (!queries.has(selector)) queries.set(selector, queryOf(selector));
    const query = queries.get(selector);
    // In an element's context, the package matches every part of the selector inside that element.
    if (!query || (context instanceof Element && !query.isSimple)) return searched(selector, context, isList);
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

function searched(selector: string, context: Document | Element, isList: boolean): Element[] {
  if (isList) return selectAll<AnyNode, Element>(selector, context);
  const one = selectOne<AnyNode, Element>(selector, context);
  return one ? [one] : [];
}

/** Undefined if it depends on the context, or if nothing is known about the elements that it ends with. */
function queryOf(selector: string): Query {
  const alternatives = parse(selector);
  const places = alternatives.map(placeIn);
  const isFixed = !alternatives.some(([first]) => !first || isTraversal(first)) && !/:scope/i.test(selector);
  if (!isFixed || !places.every((place) => place !== undefined)) return undefined;
  const isSimple = !alternatives.some((alternative) => alternative.some(isTraversal));
  const placed = alternatives.map((alternative) => alternative.map(byPosition));
  return { matches: compile<AnyNode, Element>(placed, { pseudos: { [POSITION]: isAt } }), places, isSimple };
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

/** The value that an attribute must have as it is written. */
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
  if (!positions.has(element) && element.parent)
    elementsOf(element.parent).forEach((child, index) => positions.set(child, index + 1));
  return positions.get(element) === Number(position);
}
