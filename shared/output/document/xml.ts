import type { Document, Element, ParentNode } from 'domhandler';
import { elementsOf, find, findAll, rawText } from '../../html/tree.ts';
import type { About } from './html.ts';

/** The name of an element without its prefix. */
export const local = ({ name }: Pick<Element, 'name'>): string => name.slice(name.indexOf(':') + 1);

/** The elements below a node with one of these local names. */
export const all = (node: ParentNode, ...names: string[]): Element[] =>
  findAll(node, (element) => names.includes(local(element)));

export const firstOf = (node: ParentNode, name: string): Element | undefined =>
  find(node, (element) => local(element) === name);

export const childrenOf = (node: ParentNode, ...names: string[]): Element[] =>
  elementsOf(node).filter((element) => names.includes(local(element)));

export const childOf = (node: ParentNode, name: string): Element | undefined => childrenOf(node, name)[0];

/** An attribute by its local name, whatever its prefix. */
export function attribute({ attribs }: Pick<Element, 'attribs'>, name: string): string | undefined {
  if (Object.hasOwn(attribs, name)) return attribs[name];
  return Object.entries(attribs).find(([key]) => key.endsWith(`:${name}`))?.[1];
}

/** A number in an attribute, from 1 to a limit. */
export function countIn(element: Element, name: string, most: number): number {
  const count = Number.parseInt(attribute(element, name) ?? '1', 10);
  return Math.min(Math.max(Number.isNaN(count) ? 1 : count, 1), most);
}

/** What the Dublin Core of a document says about it. */
export function aboutIn(xml: Document): About {
  const said = (...names: string[]) => {
    const texts = names
      .map((name) => firstOf(xml, name))
      .map((element) => element && rawText(element).trim());
    return texts.find(Boolean);
  };
  return {
    title: said('title'),
    author: said('creator', 'initial-creator'),
    description: said('description', 'subject'),
    keywords: said('keywords', 'keyword'),
    language: said('language'),
    publishedAt: said('created', 'creation-date', 'date'),
  };
}
