import type { SentFile } from '../request/read-form.ts';
import { AppError } from '../errors.ts';
import { formatFields } from './formats.ts';
import { type Mapped, refused } from './mapped.ts';
import { assertSupported, readingFields, type ScrapeOptions } from './scrape-options.ts';

/** What a file cannot have, as nothing is requested and no browser shows it. */
const OF_PAGES: readonly (readonly [name: string, isWanted: (options: ScrapeOptions) => boolean])[] = [
  ['actions', ({ actions = [] }) => actions.length > 0],
  ['waitFor', ({ waitFor = 0 }) => waitFor > 0],
  ['mobile', ({ mobile = false }) => mobile],
  ['location', ({ location }) => location !== undefined],
  ['proxy', ({ proxy }) => proxy === 'enhanced' || proxy === 'stealth'],
];

/** The fields of a plain scrape whose page is the file. Throws `invalid_request`. */
export function parseFields(options: ScrapeOptions): Mapped {
  assertSupported(options);
  const names = OF_PAGES.filter(([, isWanted]) => isWanted(options)).map(([name]) => name);
  if (names[0] !== undefined) throw refused(names[0], `A file has no ${names.join(', ')}.`);
  const { fields: formats } = formatFields(options.formats ?? ['markdown']);
  const outputs = formats['formats'] as string[];
  const ofPages = outputs.filter((output) => output === 'screenshot' || output === 'change');
  if (ofPages.length > 0) throw refused('formats', 'A file has no screenshot and no changeTracking.');
  const { fields, warnings } = readingFields(options, outputs);
  const { headers = {}, maxAge = 0 } = options;
  const isRequested = Object.keys(headers).length > 0 || maxAge > 0;
  return {
    fields: { ...formats, ...fields },
    warnings: [...(isRequested ? [NO_REQUEST] : []), ...warnings],
  };
}

const NO_REQUEST = 'Nothing is requested for a file: headers and maxAge have no effect.';

/** Kinds of files by the ends of their names. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  epub: 'application/epub+zip',
  rtf: 'application/rtf',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
};

const KNOWN = Object.keys(TYPES)
  .map((end) => `.${end}`)
  .join(', ');

/** The Content-Type of a file, by its name or its own type. Throws `unsupported_media_type`. */
export function fileType({ name, contentType }: Pick<SentFile, 'name' | 'contentType'>): string {
  const end = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const sent = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  const type = Object.hasOwn(TYPES, end) ? TYPES[end] : Object.values(TYPES).find((each) => each === sent);
  // With its charset.
  if (type !== undefined) return type === sent ? contentType : type;
  throw new AppError('unsupported_media_type', {
    message: `This file is of a kind that is not supported here. Known: ${KNOWN}.`,
    fields: { param: 'file' },
  });
}

/** A host that no network has, for the name of a file where a page has its URL: RFC 6761. */
export const FILE_HOST = 'upload.invalid';

const MAX_NAME = 200;

export const fileUrl = (name: string): string =>
  `https://${FILE_HOST}/${encodeURIComponent(Array.from(name.toWellFormed()).slice(-MAX_NAME).join(''))}`;
