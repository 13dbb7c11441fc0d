import { z } from 'zod';
import { MAX_PAGES } from '../contract/scrape/document.ts';
import type { Output } from '../contract/scrape/output.ts';
import { type Fields, type Mapped, refused } from './mapped.ts';
import { JsonFormat, modelFields } from './model-formats.ts';

/** A format as callers name it: by its name, or as an object with options. */
export const FormatOption = z.union([z.string().max(40), z.looseObject({ type: z.string().max(40) })]);
export type FormatOption = z.infer<typeof FormatOption>;

type Row = {
  output: Output;
  /** The options of its object. Absent: none. */
  options?: z.ZodType<Fields>;
  fields?: (options: Fields) => Fields;
};

const size = (most: number) => z.int().min(100).max(most);
const screenshot = z.strictObject({
  type: z.string(),
  fullPage: z.boolean().optional(),
  quality: z.int().min(1).max(100).optional(),
  viewport: z.strictObject({ width: size(3_840), height: size(4_320) }).optional(),
});
const attributes = z.strictObject({
  type: z.string(),
  selectors: z
    .array(
      z.strictObject({
        selector: z.string().min(1).max(70),
        attribute: z
          .string()
          .max(25)
          .regex(/^[A-Za-z_][\w:.-]*$/),
      }),
    )
    .min(1)
    .max(100),
});
const changeTracking = z.strictObject({
  type: z.string(),
  modes: z.array(z.enum(['git-diff'], { error: 'only git-diff is supported here' })).optional(),
  tag: z.string().nullish(),
});

/** Formats that this service has. */
const FORMATS: Readonly<Record<string, Row>> = {
  markdown: { output: 'markdown' },
  html: { output: 'clean_html' },
  rawHtml: { output: 'html' },
  links: { output: 'links' },
  images: { output: 'images' },
  screenshot: { output: 'screenshot', options: screenshot, fields: screenshotFields },
  changeTracking: {
    output: 'change',
    options: changeTracking,
    fields: ({ tag }) => ({ change: { of: 'markdown', ...(tag ? { tag } : {}) } }),
  },
  attributes: { output: 'extract', options: attributes, fields: attributeFields },
  // See modelFields.
  json: { output: 'extract', options: JsonFormat },
  summary: { output: 'extract' },
};

/** Formats that need a search, a catalogue of its own, or a conversation with a model. */
const LACKING: readonly string[] = [
  ...['branding', 'product', 'menu', 'audio', 'video', 'question', 'highlights', 'query'],
];

/** The fields for some formats, and `metadata`. Throws `invalid_request` with the names of missing ones. */
export function formatFields(formats: readonly FormatOption[]): Mapped {
  const named = formats.map((format) => (typeof format === 'string' ? { type: format } : format));
  const lacking = named.filter(({ type }) => LACKING.includes(type)).map(({ type }) => type);
  if (lacking.length > 0)
    throw refused('formats', `These formats are not supported here: ${[...new Set(lacking)].join(', ')}.`);
  const rows = named.map((format, at) => ({ format, row: rowOf(format, at) }));
  const outputs = rows.map(({ row }) => row.output);
  const fields = rows.map(({ format, row }) => row.fields?.(format) ?? {});
  return {
    fields: {
      format: 'json',
      formats: [...new Set<Output>([...outputs, 'metadata'])],
      ...(Object.assign({}, ...fields) as Fields),
      ...modelFields(named),
    },
    warnings: [],
  };
}

function rowOf(format: { type: string }, at: number): Row {
  const row = Object.hasOwn(FORMATS, format.type) ? FORMATS[format.type] : undefined;
  if (row === undefined)
    throw refused(
      'formats',
      `Unrecognized format '${format.type}'. Known: ${Object.keys(FORMATS).join(', ')}.`,
    );
  const { options = z.strictObject({ type: z.string() }) } = row;
  const { error } = options.safeParse(format);
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return row;
  const path = ['formats', at, ...issue.path].join('.');
  throw refused(path, `Invalid value for '${path}': ${issue.message}.`);
}

function screenshotFields({ fullPage, quality, viewport }: Fields): Fields {
  const wanted = {
    ...(fullPage !== undefined && { full_page: fullPage }),
    ...(quality !== undefined && { type: 'jpeg', quality }),
    ...(viewport as object | undefined),
  };
  return Object.keys(wanted).length > 0 ? { screenshot: wanted } : {};
}

/** A rule for each selector, whose name says what it finds: results are read without their request. */
function attributeFields({ selectors }: Fields): Fields {
  const rules = (selectors as Attribute[]).map((each) => [
    `${each.attribute}@${each.selector}`,
    { selector: each.selector, selector_type: 'css', type: 'list', output: `@${each.attribute}` },
  ]);
  return { extract_rules: Object.fromEntries(rules) as Fields };
}

type Attribute = { selector: string; attribute: string };

/** What a rule with such a name finds. Undefined for other names. */
export function attributeOf(name: string): Attribute | undefined {
  const at = name.indexOf('@');
  return at < 0 ? undefined : { selector: name.slice(at + 1), attribute: name.slice(0, at) };
}

const Pdf = z.strictObject({
  type: z.literal('pdf'),
  mode: z.enum(['fast', 'auto', 'ocr']).optional(),
  maxPages: z.int().min(1).max(10_000).optional(),
});

/** How documents are read, by the names of `/v2`. */
export const Parsers = z.array(z.union([z.literal('pdf'), Pdf])).max(5);
type Parsers = z.infer<typeof Parsers>;

const optionsOf = (parsers: Parsers) => parsers.filter((each) => typeof each === 'object');

/** The first pages of a document. All kinds of documents are read, whether or not a parser is named. */
export function documentFields(parsers: Parsers = []): Fields {
  const most = optionsOf(parsers).find(({ maxPages }) => maxPages !== undefined)?.maxPages;
  if (most === undefined) return {};
  const pages = Math.min(most, MAX_PAGES);
  return { document: { pages: `1-${pages}`, max_pages: pages } };
}

/** What parsers ask for that they do not get. */
export function parserWarnings(parsers: Parsers | undefined): string[] {
  if (parsers?.length === 0) return ['Documents are always read: empty parsers have no effect.'];
  const wantsOcr = optionsOf(parsers ?? []).some(({ mode }) => mode === 'ocr');
  return wantsOcr ? ['Pictures of text are not read here: the mode ocr of parsers has no effect.'] : [];
}
