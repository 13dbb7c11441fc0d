import { z } from 'zod';
import type { Condition } from '../conditions.ts';
import { type Change, changeConditions, changeField, type Compared, comparedIn } from './change.ts';
import { type DocumentFacts, type documentField, type DocumentWanted, onlyTexts } from './document.ts';
import { ExtractRules } from './extract-rules.ts';
import { extractSchemaConditions, extractSchemaFields } from './extract-schema.ts';
import type { Evidence, ModelTokens } from './extraction.ts';
import { traits } from './field-traits.ts';
import type { Metadata } from './metadata.ts';
import { Part, Picture } from './part.ts';
import { type ContentShare, type Scope, scopeFields } from './scope.ts';

/** What a single format can be, beside `json`, which holds several. */
export const Output = z.enum([...Part.options, ...Picture.options]);
export type Output = z.infer<typeof Output>;

export const Format = z.enum([...Output.options, 'json']);
export type Format = z.infer<typeof Format>;

/** Without `default`, so that requests without them stay what they were. */
export const outputFields = {
  format: Format.optional().describe(
    'What comes back: `html` is the page itself; the other formats are its contents. `json` holds several, see `formats`. Formats other than `html` need an HTML page; a feed or other XML has `links` and `metadata`, a document (PDF, DOCX, XLSX, PPTX, ODT, EPUB, RTF, CSV) these and the texts. `screenshot` and `pdf` imply `render_js`. Absent: `html`.',
  ),
  formats: z
    .array(Output)
    .min(1)
    .max(Output.options.length)
    .optional()
    .describe('What the response to `format=json` contains. Absent: `html` alone.')
    .meta({ examples: [['markdown', 'links']] })
    .register(traits, { in: 'body' }),
  ...scopeFields,
  extract_rules: ExtractRules.optional()
    .describe(
      'For `extract`: names mapped to selectors. Each rule is a selector such as `h1`, `a@href` or `//h2`, or an object with `selector`, `selector_type`, `output`, `type`, `clean` and `required`. The output `url` is absolute.',
    )
    .meta({ examples: [{ title: 'h1', links: { selector: 'a', type: 'list', output: '@href' } }] })
    .register(traits, { in: 'body', secret: true }),
  ...extractSchemaFields,
  ...changeField,
};

type Asked = z.output<z.ZodObject<typeof outputFields & typeof documentField>>;

export type AskedFormats = Pick<Asked, 'format' | 'formats'>;

/** The outputs that a request selects. */
export function outputsOf({ format = 'html', formats = ['html'] }: AskedFormats): Output[] {
  return format === 'json' ? formats : [format];
}

const isPart = (output: Output): output is Part => Part.safeParse(output).success;

/** The parts that are taken from its source. */
export const sourceParts = (asked: AskedFormats): Part[] => outputsOf(asked).filter(isPart);

const wants = (asked: Asked, ...outputs: Output[]) =>
  outputsOf(asked).some((output) => outputs.includes(output));

/** A comparison reads what it compares, and a model the Markdown. */
const wantsText = (asked: Asked) =>
  asked.extract_schema !== undefined ||
  wants(asked, 'clean_html', 'markdown', 'text') ||
  ['markdown', 'text'].includes(comparedIn(asked) ?? '');
const wantsValues = (asked: Asked) => wants(asked, 'extract') || comparedIn(asked) === 'extract';

/** Fields that are taken only where they have an effect. */
export const outputConditions: readonly Condition<Asked>[] = [
  {
    name: 'formats',
    error: 'only allowed with format=json',
    isMet: ({ format, formats }) => formats === undefined || format === 'json',
  },
  ...(['scope', 'include_selectors', 'exclude_selectors'] as const).map((name) => ({
    ...{ name, error: 'only allowed with markdown, text or clean_html' },
    isMet: (asked: Asked) => asked[name] === undefined || wantsText(asked),
  })),
  {
    name: 'scope',
    error: 'not allowed with include_selectors',
    isMet: ({ scope, include_selectors: include }) => scope === undefined || include === undefined,
  },
  {
    name: 'extract_rules',
    error: 'only allowed with extract',
    isMet: (asked) => asked.extract_rules === undefined || wantsValues(asked),
  },
  {
    name: 'extract_rules',
    error: 'required with extract, or extract_schema',
    isMet: (asked) =>
      asked.extract_rules !== undefined || asked.extract_schema !== undefined || !wantsValues(asked),
  },
  ...extractSchemaConditions<Asked>((asked) => wants(asked, 'extract')),
  ...changeConditions,
  onlyTexts((asked) => wantsText(asked) || wants(asked, 'links', 'metadata')),
];

export const Link = z.object({
  url: z.string().describe('Absolute.'),
  text: z.string().describe('Its text, or the name of its image. Empty if it has neither.'),
  rel: z.string().describe('Its `rel`, empty if it has none.'),
});
export type Link = z.infer<typeof Link>;

/** The body of `format=links`. */
export const Links = z.array(Link).describe('The links of the page: each URL once, in page order.');

/** The body of `format=images`. */
export const Images = z
  .array(z.string())
  .describe(
    'The absolute URLs of its images, each once, in page order: those that it shows, posters of videos, icons, and the picture of its previews.',
  );

/** The body of `format=extract`. */
export const Extracted = z
  .record(z.string(), z.unknown())
  .describe(
    'The values of `extract_rules` by their names: text, a list, a table, or an object of more rules. `null`, or an empty list, if nothing was found. With `extract_schema`, an object that is valid for it, beside values of rules that it does not name.',
  );
export type Extracted = z.infer<typeof Extracted>;

/** A value that extraction did not find. */
export const Miss = z.object({
  rule: z.string().describe('The path of its rule, such as `products[2].price`.'),
  selector: z.string().describe('Its selector.'),
  reason: z
    .enum(['no_match', 'no_value'])
    .describe('`no_match`: no element matches. `no_value`: an element does, without that value.'),
});
export type Miss = z.infer<typeof Miss>;

/** The requested parts of a page. */
export type Converted = {
  html?: string;
  clean_html?: string;
  markdown?: string;
  text?: string;
  links?: Link[];
  images?: string[];
  metadata?: Metadata;
  extract?: Extracted;
  extractReport?: (Miss | Evidence)[];
  extractTruncated?: true | undefined;
  modelTokens?: ModelTokens;
  change?: Change;
  /** What was compared, for the next comparison. */
  compared?: string;
  /** Of `markdown`, `text` and `clean_html`. */
  content?: ContentShare;
  /** Whether an element matches each of `awaited`. */
  hasMatch?: boolean;
  document?: DocumentFacts;
};

/** A page, and the parts requested of it. */
export type Conversion = {
  body: Uint8Array;
  contentType?: string | undefined;
  url: string;
  outputs: readonly Part[];
  scope: Scope;
  /** CSS selectors of what text is taken from, in place of the scope, and of what is left out of it. */
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  rules?: ExtractRules | undefined;
  /** Whether the page's scripts have run. */
  isRendered?: boolean | undefined;
  /** Of `change`: what is compared with what, and the lines of context. Without `previous`, it is new. */
  comparison?: { of: Compared; previous?: string | undefined; context: number } | undefined;
  /** A model reads the text, and fills in what rules do not find. */
  isForModel?: boolean | undefined;
  /** CSS selectors, for whether an element matches each of them. */
  awaited?: readonly string[] | undefined;
  /** What is read of a document. Absent: what is read without the field `document`. */
  document?: DocumentWanted | undefined;
};
