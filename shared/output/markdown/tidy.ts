import type { PhrasingContent, Text } from 'mdast';
import { flanked } from './flanking.ts';
import { isMark, joined, type Mark, withChildren } from './nodes.ts';

/** Soft hyphens and spaces without width, which would split words. */
const UNSEEN = /[\u00ad\u200b\ufeff]/g;

/** The paragraphs that a run of inline nodes is: two breaks in a row are meant as the end of one. */
export function paragraphsIn(run: readonly PhrasingContent[]): PhrasingContent[][] {
  const nodes = collapsed(run);
  return paragraphLines(nodes).map(([first, last]) => withMarks(sliced(nodes, { first, last })));
}

/** The same as one line. */
export function lineOf(run: readonly PhrasingContent[]): PhrasingContent[] {
  return withMarks(collapsed(withoutBreaks(run)));
}

function withoutBreaks(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  return nodes.map((node) => {
    if (node.type === 'break') return { type: 'text', value: ' ' };
    return isMark(node) ? withChildren(node, withoutBreaks(node.children)) : node;
  });
}

/** White space as a browser shows it: one space, and none where a line begins or ends. */
function collapsed(run: readonly PhrasingContent[]): PhrasingContent[] {
  let last: Text | undefined;
  let isAfterSpace = true;
  const endLine = () => {
    if (last) last.value = last.value.replace(/ $/, '');
    [last, isAfterSpace] = [undefined, true];
  };
  const visit = (node: PhrasingContent): PhrasingContent => {
    if (isMark(node)) return withChildren(node, node.children.map(visit));
    if (node.type === 'break') endLine();
    else if (node.type !== 'text') [last, isAfterSpace] = [undefined, false];
    if (node.type !== 'text') return node;
    const value = node.value.replace(UNSEEN, '').replace(/[ \t\r\n\f]+/g, ' ');
    const text: Text = { type: 'text', value: isAfterSpace ? value.replace(/^ /, '') : value };
    if (text.value !== '') [last, isAfterSpace] = [text, text.value.endsWith(' ')];
    return text;
  };
  const nodes = run.map(visit);
  endLine();
  return nodes;
}

/** The first and last lines of each paragraph. */
function paragraphLines(nodes: readonly PhrasingContent[]): [first: number, last: number][] {
  const filled: boolean[] = [];
  let line = 0;
  const visit = (node: PhrasingContent): void => {
    if (isMark(node)) node.children.forEach(visit);
    else if (node.type === 'break') line += 1;
    else if (node.type !== 'text' || node.value.trim() !== '') filled[line] = true;
  };
  nodes.forEach(visit);
  const groups: [number, number][] = [];
  for (let at = 0; at <= line; at += 1) {
    const group = groups.at(-1);
    if (filled[at] !== true) continue;
    if (group && group[1] === at - 1) group[1] = at;
    else groups.push([at, at]);
  }
  return groups;
}

type Lines = { first: number; last: number };

function sliced(nodes: readonly PhrasingContent[], { first, last }: Lines): PhrasingContent[] {
  let line = 0;
  const visit = (node: PhrasingContent): PhrasingContent[] => {
    if (isMark(node)) {
      const children = node.children.flatMap(visit);
      return children.length > 0 ? [withChildren(node, children)] : [];
    }
    const at = line;
    if (node.type === 'break') line += 1;
    const end = node.type === 'break' ? at + 1 : at;
    return at >= first && end <= last ? [node] : [];
  };
  return nodes.flatMap(visit);
}

/** Marks that a reader takes for marks: around words, with none of the same kind inside or beside them. */
function withMarks(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const placed = flanked(merged(nodes, new Set()));
  const [, inner] = edges(placed);
  return inner;
}

function merged(nodes: readonly PhrasingContent[], around: ReadonlySet<string>): PhrasingContent[] {
  const found = joined(nodes.flatMap((each) => unwrapped(each, around)));
  return found.flatMap((node) => {
    if (!isMark(node)) return [node];
    const children = merged(node.children, new Set([...around, node.type]));
    return hoisted(withChildren(node, children));
  });
}

/** A mark inside one of its kind says nothing more. */
function unwrapped(node: PhrasingContent, around: ReadonlySet<string>): PhrasingContent[] {
  if (node.type === 'text' && node.value === '') return [];
  if (!isMark(node) || !around.has(node.type)) return [node];
  return node.children.flatMap((child) => unwrapped(child, around));
}

/** White space and breaks at the edges of a mark stand outside of it; a mark around nothing goes. */
function hoisted(mark: Mark): PhrasingContent[] {
  const [before, inner, after] = edges(mark.children);
  return inner.length > 0 ? [...before, withChildren(mark, inner), ...after] : [...before, ...after];
}

type Edges = [before: PhrasingContent[], inner: PhrasingContent[], after: PhrasingContent[]];

function edges(children: readonly PhrasingContent[]): Edges {
  const inner = [...children];
  const before: PhrasingContent[] = [];
  const after: PhrasingContent[] = [];
  for (let node = inner[0]; node; node = inner[0]) {
    const [, space = '', rest = ''] = node.type === 'text' ? (/^(\s*)([^]*)$/.exec(node.value) ?? []) : [];
    if (node.type !== 'break' && space === '') break;
    before.push(node.type === 'break' ? node : { type: 'text', value: space });
    if (rest === '') inner.shift();
    else inner[0] = { type: 'text', value: rest };
  }
  for (let node = inner.at(-1); node; node = inner.at(-1)) {
    const [, rest = '', space = ''] = node.type === 'text' ? (/^([^]*?)(\s*)$/.exec(node.value) ?? []) : [];
    if (node.type !== 'break' && space === '') break;
    after.unshift(node.type === 'break' ? node : { type: 'text', value: space });
    if (rest === '') inner.pop();
    else inner[inner.length - 1] = { type: 'text', value: rest };
  }
  return [before, inner, after];
}
