import { compile } from 'css-select';
import xpath from 'xpath';
import { z } from 'zod';
import { memoize } from '../memoize.ts';

const MAX_SELECTOR_LENGTH = 1_000;
const MAX_RULES = 200;
const MAX_DEPTH = 8;

/** `"a@href"` is an element and its attribute. */
const SHORT = /^([\s\S]*?)@([A-Za-z_][\w:.-]*)$/;

export type ExtractRule = {
  selector: string;
  selector_type?: 'auto' | 'css' | 'xpath' | undefined;
  output?: string | ExtractRules | undefined;
  type?: 'item' | 'list' | undefined;
  clean?: boolean | undefined;
  required?: boolean | undefined;
};
export type ExtractRules = { [name: string]: string | ExtractRule };

/** A rule in its long form, with the kind of its selector decided. */
export type Rule = {
  selector: string;
  isXPath: boolean;
  output: string | ExtractRules;
  /** Whose value is the output. */
  attribute?: string;
  type: 'item' | 'list';
  clean: boolean;
  required: boolean;
};

const XPATH = /^\s*(?:\.?\/|\()/;

export function ruleOf(short: string | ExtractRule): Rule {
  const long = typeof short === 'string' ? { selector: short } : short;
  const { selector_type: kind = 'auto', type = 'item', clean = true, required = false } = long;
  const isXPath = kind === 'xpath' || (kind === 'auto' && XPATH.test(long.selector));
  // An XPath names attributes with @ itself.
  const { selector, attribute } =
    isXPath || !namesAttribute(long) ? { selector: long.selector } : apart(long);
  const output = long.output ?? (attribute === undefined ? 'text' : `@${attribute}`);
  const own = typeof output === 'string' && output.startsWith('@') ? output.slice(1) : attribute;
  return {
    selector,
    isXPath,
    output,
    type,
    clean,
    required,
    ...(own !== undefined && { attribute: own.toLowerCase() }),
  };
}

/** Whether an `@` in the selector begins an attribute. */
const namesAttribute = ({ output }: ExtractRule) => output === undefined || output === 'url';

function apart({ selector: text }: ExtractRule): { selector: string; attribute?: string } {
  const [, selector = '', attribute] = SHORT.exec(text) ?? [];
  return attribute === undefined ? { selector: text } : { selector: selector.trim(), attribute };
}

const OUTPUT = /^(?:text|html|url|table_json|table_array|@[A-Za-z_][\w:.-]*)$/;
const OUTPUT_RULE =
  'expected text, html, url, table_json, table_array, @ and the name of an attribute, or rules';

const Selector = z.string().max(MAX_SELECTOR_LENGTH);

const LongRule: z.ZodType<ExtractRule> = z.strictObject({
  selector: Selector,
  selector_type: z.enum(['auto', 'css', 'xpath']).optional(),
  output: z.union([z.string().regex(OUTPUT, OUTPUT_RULE), z.lazy(() => Rules)]).optional(),
  type: z.enum(['item', 'list']).optional(),
  clean: z.boolean().optional(),
  required: z.boolean().optional(),
});

const ShortOrLong = z
  .union([Selector.min(1), LongRule])
  .superRefine((rule, context) => {
    const { selector, isXPath } = ruleOf(rule);
    const message = isXPath ? faultInXPath(selector) : faultInCss(selector);
    const path = typeof rule === 'string' ? [] : ['selector'];
    if (message) context.addIssue({ code: 'custom', path, message });
  })
  .meta({ id: 'ExtractRule' });

const Rules: z.ZodType<ExtractRules> = z.record(z.string().min(1).max(100), ShortOrLong);

export const ExtractRules = Rules.superRefine((rules, context) => {
  const { count, depth } = sizeOf(rules);
  if (count === 0) context.addIssue({ code: 'custom', message: 'expected at least one rule' });
  if (count > MAX_RULES) context.addIssue({ code: 'custom', message: `expected up to ${MAX_RULES} rules` });
  if (depth > MAX_DEPTH) context.addIssue({ code: 'custom', message: `expected up to ${MAX_DEPTH} levels` });
});

/** Whether something must be found for there to be any values. */
export function hasRequired(rules: ExtractRules = {}): boolean {
  return Object.values(rules).some((rule) => {
    if (typeof rule === 'string') return false;
    return rule.required === true || (typeof rule.output === 'object' && hasRequired(rule.output));
  });
}

function sizeOf(rules: ExtractRules): { count: number; depth: number } {
  const sizes = Object.values(rules).map((rule) => {
    const nested =
      typeof rule === 'object' && typeof rule.output === 'object' ? sizeOf(rule.output) : undefined;
    return { count: 1 + (nested?.count ?? 0), depth: 1 + (nested?.depth ?? 0) };
  });
  return sizes.reduce(
    (all, { count, depth }) => ({ count: all.count + count, depth: Math.max(all.depth, depth) }),
    { count: 0, depth: 0 },
  );
}

const faultInXPath = memoize((selector): string | undefined => {
  try {
    xpath.parse(selector);
    return undefined;
  } catch {
    return 'expected an XPath expression';
  }
});

/** An empty selector is the element itself, inside nested rules. */
const faultInCss = memoize((selector): string | undefined => {
  if (SHORT.test(selector)) return 'expected no attribute beside an output';
  try {
    if (selector.trim() !== '') compile(selector);
    return undefined;
  } catch {
    return 'expected a CSS selector';
  }
});
