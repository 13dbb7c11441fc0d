import { Element } from 'domhandler';
import { elementsOf } from '../tree.ts';
import type { Writing } from './style.ts';

/** Text whose characters Markdown would read as marks, escaped where it would. */
export function escaped(text: string): string {
  return text
    .replace(/[\\`*]/g, '\\$&')
    .replace(/(^|[\s(])(_{1,50})(?=\S)|(?<=\S)(_{1,50})(?=[\s).,;:!?]|$)/g, (marks) =>
      marks.replaceAll('_', '\\_'),
    )
    .replace(/\[(?=[^\]]{0,100}\][([:])/g, '\\[')
    .replace(/<(?=[a-zA-Z/!?])/g, '\\<');
}

/** A line that would begin a heading, a list, a quote or a rule, escaped. */
export function escapedStart(line: string): string {
  return line
    .replace(/^(#{1,6}|[-+]|>|={2,}|-{2,})(?=\s|$)/, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
    .replace(/^>/, '\\>');
}

/** Marks stand next to the words, outside of white space. */
export function emphasised(mark: string, inner: string): string {
  const [, before = '', text = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(inner) ?? [];
  if (text === '' || text.includes(mark)) return inner;
  return `${before}${mark}${text}${mark}${after}`;
}

export function code(text: string): string {
  const content = text.replace(/\s+/g, ' ');
  if (content.trim() === '') return content;
  const fence = fenceFor(content, '`', 1);
  const pad = content.startsWith('`') || content.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${content.trim()}${pad}${fence}`;
}

/** A fence longer than any in the text. */
export function fenceFor(text: string, mark: string, atLeast: number): string {
  const runs = text.match(/`+/g) ?? [];
  const longest = runs.reduce((length, run) => Math.max(length, run.length), 0);
  return mark.repeat(Math.max(atLeast, longest + 1));
}

export function linked(inner: string, url: string | undefined, title?: string): string {
  const [, before = '', text = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(inner) ?? [];
  if (text === '' || url === undefined) return inner;
  const named = title && title !== text ? ` "${title.replace(/\s+/g, ' ').replaceAll('"', '\\"')}"` : '';
  return `${before}[${text}](${destination(url)}${named})${after}`;
}

/** Where pages keep the address of an image that a script loads later. */
const LATER = ['data-src', 'data-lazy-src', 'data-lazy', 'data-original'];
const SETS = ['srcset', 'data-srcset', 'data-lazy-srcset'];

export function pictured({ attribs, parent }: Element, { style, absolute }: Writing): string {
  if (style === 'text') return '';
  const isPicture = parent instanceof Element && parent.name === 'picture';
  const sources = isPicture ? elementsOf(parent).filter(({ name }) => name === 'source') : [];
  const sets = [attribs, ...sources.map((source) => source.attribs)];
  const candidates = [
    ...[...LATER, 'src'].map((name) => attribs[name]),
    ...sets.flatMap((each) => SETS.map((name) => each[name]?.trim().split(/\s/)[0])),
  ];
  const source = candidates.find((url) => url !== undefined && url !== '' && !/^\s*data:/i.test(url));
  const url = source === undefined ? undefined : absolute(source);
  if (url === undefined || attribs.width === '1' || attribs.height === '1') return '';
  const alt = (attribs.alt ?? '').replace(/\s+/g, ' ').replace(/[[\]]/g, '\\$&').trim();
  return `![${alt}](${destination(url)})`;
}

const destination = (url: string) => url.replace(/[()\s]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
