import { MAX_PICTURE_BYTES, type Paper, type Pdf } from '../../../shared/contract/scrape/picture.ts';
import { AppError } from '../../../shared/errors.ts';
import type { CaptureContext } from './capture-context.ts';
import { scrollThrough } from './whole-page.ts';

const MM_PER_INCH = 25.4;
const MARGIN_MM = 10;
const CHUNK_BYTES = 4_194_304;

/** Inches, upright. */
const SIZES = {
  a0: [33.11, 46.81],
  a1: [23.39, 33.11],
  a2: [16.54, 23.39],
  a3: [11.69, 16.54],
  a4: [8.27, 11.69],
  a5: [5.83, 8.27],
  a6: [4.13, 5.83],
  letter: [8.5, 11],
  legal: [8.5, 14],
  tabloid: [11, 17],
  ledger: [17, 11],
} satisfies Record<Uncapitalize<Paper>, readonly [width: number, height: number]>;

const PAPERS = new Map(Object.entries(SIZES));

/** Throws `not_convertible` for page ranges that the document does not have, or if margins fill it. */
export async function printPdf(context: CaptureContext, wanted: Pdf): Promise<Uint8Array> {
  await scrollThrough(context);
  const { draw } = context;
  const { stream: handle } = await draw('Page.printToPDF', {
    ...settingsOf(wanted),
    transferMode: 'ReturnAsStream',
  }).catch((error: unknown) => {
    throw refusalOf(error);
  });
  const chunks: Buffer[] = [];
  let total = 0;
  for (let isOver = handle === undefined; !isOver;) {
    const { data, base64Encoded, eof } = await context.send('IO.read', {
      handle: handle ?? '',
      size: CHUNK_BYTES,
    });
    const chunk = Buffer.from(data, base64Encoded ? 'base64' : 'utf8');
    total += chunk.byteLength;
    if (total > MAX_PICTURE_BYTES)
      throw new AppError('response_too_large', {
        message: 'The PDF is larger than 37 MB. Print fewer pages.',
      });
    chunks.push(chunk);
    isOver = eof;
  }
  return Buffer.concat(chunks);
}

function settingsOf({
  paper = 'a4',
  landscape = false,
  scale = 1,
  margin = MARGIN_MM,
  background = true,
  page_ranges,
}: Pdf) {
  const [paperWidth, paperHeight] = PAPERS.get(paper.toLowerCase()) ?? SIZES.a4;
  const inches = margin / MM_PER_INCH;
  return {
    paperWidth,
    paperHeight,
    landscape,
    scale,
    marginTop: inches,
    marginBottom: inches,
    marginLeft: inches,
    marginRight: inches,
    printBackground: background,
    pageRanges: page_ranges ?? '',
    generateTaggedPDF: true,
    generateDocumentOutline: true,
  };
}

/** Chromium's own words: https://chromium.googlesource.com/chromium/src/+/HEAD/components/printing/browser/print_to_pdf/pdf_print_utils.cc */
function refusalOf(error: unknown): unknown {
  const said = error instanceof Error ? error.message : '';
  if (!/page range|margin|content area/i.test(said)) return error;
  const isRange = /page range/i.test(said);
  const message = isRange
    ? "The document has no such pages: see 'pdf.page_ranges'."
    : "The margins leave no room on the paper: see 'pdf.margin'.";
  return new AppError('not_convertible', { message, fields: { reason: 'size' }, cause: error });
}
