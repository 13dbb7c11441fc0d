import { NotConvertible } from '../../contract/scrape/not-convertible.ts';
import type { Container, Kind } from './kinds.ts';
import type { Reader, Reading, Wanted } from './reading.ts';
import { openZip } from './zip.ts';

/** The code for a kind of document is loaded with the first of its kind. */
const READERS: Readonly<Record<Kind, () => Promise<Reader>>> = {
  pdf: async () => (await import('./pdf/read-pdf.ts')).readPdf,
  docx: async () => (await import('./docx.ts')).readDocx,
  xlsx: async () => (await import('./xlsx.ts')).readXlsx,
  pptx: async () => (await import('./pptx.ts')).readPptx,
  odt: async () => (await import('./odt.ts')).readOdt,
  epub: async () => (await import('./epub.ts')).readEpub,
  rtf: async () => (await import('./rtf.ts')).readRtf,
  csv: async () => (await import('./csv.ts')).readCsv,
};

/**
 * Reads a document by what it is, whatever its type says. Throws `NotConvertible`. `loaded` is called once
 * the code for its kind is there.
 */
export async function readDocument(
  bytes: Uint8Array,
  container: Container,
  wanted: Wanted,
  loaded: () => void,
): Promise<Reading> {
  const kind = kindOf(bytes, container, wanted);
  const read = await READERS[kind]();
  loaded();
  try {
    return await read(bytes, wanted);
  } catch (error) {
    // Readers trust what a file says of itself, and fail in their own ways where it is not so.
    throw error instanceof NotConvertible || error instanceof RangeError
      ? error
      : new NotConvertible('broken', kind.toUpperCase());
  }
}

function kindOf(bytes: Uint8Array, container: Container, { contentType = 'of unknown type' }: Wanted): Kind {
  if (container === 'ole')
    throw isEncryptedOffice(bytes)
      ? new NotConvertible('encrypted', 'Office')
      : new NotConvertible('type', contentType);
  if (container !== 'zip') return container;
  const kind = kindOfArchive(bytes);
  if (kind === undefined) throw new NotConvertible('type', contentType);
  return kind;
}

/** In UTF-16: an encrypted file of today's Office is one stream in a file of the old one. */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

const isEncryptedOffice = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(ENCRYPTED);

/** By their own files: https://www.w3.org/TR/epub-33/#sec-zip-container-mime, and ECMA-376, part 2. */
const SIGNS: readonly (readonly [file: string, sign: RegExp, kind: Kind])[] = [
  ['mimetype', /^application\/epub\+zip/, 'epub'],
  ['mimetype', /^application\/vnd\.oasis\.opendocument\.text(?:-template)?\s*$/, 'odt'],
  [
    '[Content_Types].xml',
    /wordprocessingml\.(?:document|template)\.main|ms-word\.(?:document|template)\.macroEnabled/,
    'docx',
  ],
  [
    '[Content_Types].xml',
    /spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template)\.macroEnabled/,
    'xlsx',
  ],
  [
    '[Content_Types].xml',
    /presentationml\.(?:presentation|template|slideshow)\.main|ms-powerpoint\.\w+\.macroEnabled/,
    'pptx',
  ],
];

function kindOfArchive(bytes: Uint8Array): Kind | undefined {
  const { names, text } = openZip(bytes);
  const files = new Map(
    ['mimetype', '[Content_Types].xml'].map((name) => [name, names.includes(name) ? text(name) : '']),
  );
  return SIGNS.find(([file, sign]) => sign.test(files.get(file) ?? ''))?.[2];
}
