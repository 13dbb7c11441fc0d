import { readFile } from 'node:fs/promises';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { NotConvertible } from '../../../contract/scrape/not-convertible.ts';

const { getDocument, VerbosityLevel } = await withoutWarnings(async () => {
  // Its worker runs in this thread, where it is found without a URL.
  await import('pdfjs-dist/legacy/build/pdf.worker.mjs');
  return import('pdfjs-dist/legacy/build/pdf.mjs');
});

/** The package warns that it cannot draw, which is never done here. */
async function withoutWarnings<T>(load: () => Promise<T>): Promise<T> {
  const { log, warn } = console;
  Object.assign(globalThis, { DOMMatrix: Object, Path2D: Object });
  Object.assign(console, { log: () => {}, warn: () => {} });
  try {
    return await load();
  } finally {
    Object.assign(console, { log, warn });
  }
}

/** Beside the bundle, or in the package. */
const CMAPS = [
  new URL('cmaps/', import.meta.url),
  new URL('../../../../node_modules/pdfjs-dist/cmaps/', import.meta.url),
];

/** Gives the package its tables of characters, and nothing else: neither the web nor other files. */
class LocalTables {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    if (kind !== 'cMapUrl' || !/^[\w-]+\.bcmap$/.test(filename))
      throw new Error(`No such table: ${filename}`);
    const [bundled, installed] = CMAPS.map((folder) => new URL(filename, folder));
    if (!bundled || !installed) throw new Error('unreachable');
    return new Uint8Array(await readFile(bundled).catch(async () => readFile(installed)));
  }
}

/**
 * Opens a PDF for reading its text: no script is run, no form is filled, no picture and no font is drawn.
 * Throws `NotConvertible` with `encrypted` or `broken`.
 */
export async function loadPdf(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  return open(bytes).catch(async (error: unknown) => {
    const needsPassword = error instanceof Error && error.name === 'PasswordException';
    if (needsPassword || isEncrypted(bytes)) throw new NotConvertible('encrypted', 'PDF');
    const mended = withTrailer(bytes);
    return open(mended).catch(() => {
      throw new NotConvertible('broken', 'PDF');
    });
  });
}

async function open(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  const task = getDocument({
    // The package keeps what it is given.
    data: new Uint8Array(bytes),
    verbosity: VerbosityLevel.ERRORS,
    BinaryDataFactory: LocalTables,
    cMapUrl: 'cmaps/',
    cMapPacked: true,
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    useWasm: false,
    useWorkerFetch: false,
    isImageDecoderSupported: false,
    isOffscreenCanvasSupported: false,
    maxImageSize: 0,
  });
  return task.promise;
}

/** Also in ways that the package does not know, such as with the public keys of its readers. */
const isEncrypted = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('/Encrypt');

/** A file that was cut off has lost the place where it says what it begins with. */
function withTrailer(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const catalog = text.search(/\/Type\s*\/Catalog\b/);
  const begin = text.lastIndexOf(' obj', Math.max(catalog, 0));
  const [, root] = /(\d{1,9}\s+\d{1,5})$/.exec(text.slice(Math.max(0, begin - 20), Math.max(begin, 0))) ?? [];
  return Buffer.concat([
    bytes,
    Buffer.from(`\ntrailer\n<< /Root ${root ?? '0 0'} R >>\nstartxref\n0\n%%EOF\n`),
  ]);
}
