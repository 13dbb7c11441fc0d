import { z } from 'zod';
import { isSelector } from './selector.ts';

const MAX_LENGTH = 1_000;

/** Between the parts of a locator: each is looked for inside the element of the part before. */
export const INSIDE = '>>';

export type LocatorPart = { kind: 'css' | 'xpath' | 'text'; value: string };

/** `#id`, `//a[1]`, `text=Next`, and `my-form >> input` for what is inside a shadow root or frame. */
export const Locator = z
  .string()
  .min(1, { abort: true })
  .max(MAX_LENGTH)
  .refine((locator) => locatorParts(locator).every(isPart), 'expected a CSS selector, an XPath or text=…')
  .describe(
    'A CSS selector, an XPath (`/` or `(` first) or `text=…`. `>>` goes into an open shadow root or a frame: `my-form >> input`.',
  );

export function locatorParts(locator: string): LocatorPart[] {
  return locator.split(INSIDE).map((part) => partOf(part.trim()));
}

function partOf(part: string): LocatorPart {
  if (part.startsWith('text=')) return { kind: 'text', value: part.slice('text='.length).trim() };
  return { kind: /^[/(]/.test(part) ? 'xpath' : 'css', value: part };
}

const isPart = ({ kind, value }: LocatorPart) => value !== '' && (kind !== 'css' || isSelector(value));
