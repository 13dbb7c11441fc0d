import type { Document, Element } from 'domhandler';
import { elementsOf } from '../../html/tree.ts';
import { all, attribute, childOf, local } from './xml.ts';

/** What styles of OpenDocument say about text that has their names. */
export type OdtStyles = {
  isTitle: (name: string | undefined) => boolean;
  isHidden: (name: string | undefined) => boolean;
  /** Elements of HTML, such as `b`. */
  marks: (name: string | undefined) => readonly string[];
  /** The number that a list begins with at a level from 1. Undefined if it has bullets. */
  firstNumber: (name: string | undefined, level: number) => number | undefined;
};

const MAX_ANCESTORS = 20;

/** The styles of a document, common ones first. */
export function stylesIn(...parts: readonly Document[]): OdtStyles {
  const styles = new Map(named(parts, 'style'));
  const lists = new Map(named(parts, 'list-style'));
  const lineage = (name: string | undefined, depth = 0): readonly [string, Element][] => {
    const style = styles.get(name ?? '');
    if (name === undefined || style === undefined || depth > MAX_ANCESTORS) return [];
    return [[name, style], ...lineage(attribute(style, 'parent-style-name'), depth + 1)];
  };
  /** As the nearest of a style and its ancestors says it. */
  const said = (name: string | undefined, property: string) =>
    lineage(name)
      .map(([, style]) => childOf(style, 'text-properties'))
      .map((properties) => properties && attribute(properties, property))
      .find((value) => value !== undefined);
  return {
    isTitle: (name) =>
      name === 'Title' ||
      lineage(name).some(([, style]) => attribute(style, 'parent-style-name') === 'Title'),
    isHidden: (name) => said(name, 'display') === 'none',
    marks: (name) => [
      ...(said(name, 'font-weight') === 'bold' ? ['b'] : []),
      ...(said(name, 'font-style') === 'italic' ? ['i'] : []),
    ],
    firstNumber: (name, level) => {
      const list = lists.get(name ?? '');
      const levels = list ? elementsOf(list) : [];
      const style = levels.find((each) => attribute(each, 'level') === String(level)) ?? levels[0];
      if (style === undefined || local(style) !== 'list-level-style-number') return undefined;
      return Number(attribute(style, 'start-value') ?? 1);
    },
  };
}

function named(parts: readonly Document[], kind: string): [string, Element][] {
  return parts.flatMap((part) =>
    all(part, kind).map((style): [string, Element] => [attribute(style, 'name') ?? '', style]),
  );
}
