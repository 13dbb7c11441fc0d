import { type Cell, element, tableOf } from '../html.ts';
import { cutStart, htmlOf } from './blocks.ts';
import { markerOf } from './marker.ts';
import { type Fragment, joinLines, type Run, runsOf, textOf } from './fragment.ts';

/** An element of a tagged page: ISO 32000-2, section 14.8.4. */
export type StructureNode = {
  role: string;
  children: readonly StructureChild[];
  /** Of a cell. */
  colSpan?: number;
  rowSpan?: number;
};
export type StructureChild = StructureNode | { type: string; id?: string };

/** What is tagged must be most of a page. */
const MIN_SHARE = 0.95;

type Marked = ReadonlyMap<string, Fragment[]>;

/** A tagged page as HTML, in the order and with the elements that its author gave it. Undefined without. */
export function htmlOfStructure(
  root: StructureNode | null,
  fragments: readonly Fragment[],
): string | undefined {
  if (root === null) return undefined;
  const marked = Map.groupBy(fragments, ({ mark }) => mark ?? '');
  const tagged = idsIn(root).flatMap((id) => marked.get(id) ?? []);
  if (lengthOf(tagged) < MIN_SHARE * lengthOf(fragments) || tagged.length === 0) return undefined;
  return blocks(root, marked);
}

const lengthOf = (fragments: readonly Fragment[]) =>
  fragments.reduce((sum, { text }) => sum + text.length, 0);

const isNode = (child: StructureChild): child is StructureNode => 'children' in child;

function idsIn(node: StructureNode): string[] {
  return node.children.flatMap((child) => (isNode(child) ? idsIn(child) : (child.id ?? [])));
}

const HEADINGS: ReadonlyMap<string, string> = new Map([
  ['Title', 'h1'],
  ['H', 'h2'],
]);
/** Elements whose own children are blocks. */
const GROUPS: ReadonlySet<string> = new Set(
  'Root Document DocumentFragment Part Art Sect Div Aside TOC TOCI Index BlockQuote'.split(' '),
);

const headingOf = (role: string) =>
  HEADINGS.get(role) ?? (/^H[1-6]$/.test(role) ? role.toLowerCase() : undefined);
const isBlock = ({ role }: StructureNode) =>
  GROUPS.has(role) ||
  headingOf(role) !== undefined ||
  ['P', 'L', 'Table', 'Figure', 'Caption', 'Note'].includes(role);

function blocks(node: StructureNode, marked: Marked): string {
  const { role } = node;
  if (role === 'L') return listOf(node, marked);
  if (role === 'Table') return tableOf(cellsIn(node, marked));
  const heading = headingOf(role);
  if (heading) return element(heading, htmlOf(runsIn(node, marked)));
  const hasBlocks = hasInside(node);
  if (!GROUPS.has(role) && !hasBlocks) return paragraph(runsIn(node, marked));
  let html = '';
  let loose: Fragment[] = [];
  for (const child of node.children) {
    if (isNode(child) && (isBlock(child) || hasInside(child))) {
      html += paragraph(flow(loose)) + blocks(child, marked);
      loose = [];
    } else {
      const own = fragmentsOf(child, marked);
      if (GROUPS.has(role) && isNode(child) && isBelow(loose.at(-1), own[0])) {
        html += paragraph(flow(loose));
        loose = [];
      }
      loose.push(...own);
    }
  }
  return html + paragraph(flow(loose));
}

const hasInside = (node: StructureNode): boolean =>
  node.children.some((child) => isNode(child) && (isBlock(child) || hasInside(child)));

const paragraph = (runs: readonly Run[]) => (textOf(runs).trim() === '' ? '' : element('p', htmlOf(runs)));

function listOf(node: StructureNode, marked: Marked): string {
  const items = node.children.filter(isNode);
  const markers = items.map((item) => markerOf(textOf(runsIn(item, marked))));
  const isOrdered = markers.some((marker) => marker?.isOrdered === true);
  const html = items.map((item) =>
    item.role === 'L' ? listOf(item, marked) : element('li', itemOf(item, marked)),
  );
  const start = markers.find((marker) => marker)?.start ?? 1;
  if (isOrdered && start > 1) return `<ol start="${start}">${html.join('')}</ol>`;
  return element(isOrdered ? 'ol' : 'ul', html.join(''));
}

/** Without a label that the list itself has. */
function itemOf(item: StructureNode, marked: Marked): string {
  const children = item.children.flatMap((child) =>
    isNode(child) && child.role === 'LBody' ? child.children : [child],
  );
  const isInside = (child: StructureChild) => isNode(child) && (child.role === 'L' || hasInside(child));
  const at = children.findIndex(isInside);
  const [own, lists] = at === -1 ? [children, []] : [children.slice(0, at), children.slice(at)];
  const runs = flow(own.flatMap((child) => fragmentsOf(child, marked)));
  const label = markerOf(textOf(runs))?.length ?? 0;
  const rest = lists.length === 0 ? '' : blocks({ role: 'Div', children: lists }, marked);
  return htmlOf(cutStart(runs, label)) + rest;
}

const MAX_SPAN = 1_000;
const spanOf = (count = 1) => Math.min(count, MAX_SPAN);

function cellsIn(node: StructureNode, marked: Marked): Cell[][] {
  return node.children.filter(isNode).flatMap((child) => {
    if (child.role !== 'TR') return cellsIn(child, marked);
    const cells = child.children.filter(isNode).map((cell) => ({
      html: htmlOf(runsIn(cell, marked)),
      ...{ colspan: spanOf(cell.colSpan), rowspan: spanOf(cell.rowSpan) },
    }));
    return [cells];
  });
}

const runsIn = (node: StructureNode, marked: Marked): Run[] => flow(fragmentsOf(node, marked));

function fragmentsOf(child: StructureChild, marked: Marked): Fragment[] {
  if (isNode(child)) return child.children.flatMap((each) => fragmentsOf(each, marked));
  return child.id === undefined ? [] : (marked.get(child.id) ?? []);
}

/** In ems: fragments whose baselines are this close are of one line. */
const ONE_LINE = 0.45;

const isBelow = (base: Fragment | undefined, next: Fragment | undefined) =>
  base !== undefined &&
  next !== undefined &&
  Math.abs(base.y - next.y) >= ONE_LINE * Math.max(base.size, next.size);

/** Fragments in the order of the structure, line by line. */
function flow(fragments: readonly Fragment[]): Run[] {
  const lines: Fragment[][] = [];
  for (const fragment of fragments) {
    const last = lines.at(-1);
    const base = last?.[0];
    if (last && !isBelow(base, fragment)) last.push(fragment);
    else lines.push([fragment]);
  }
  return lines.map(runsOf).reduce<Run[]>((before, after) => joinLines(before, after), []);
}
