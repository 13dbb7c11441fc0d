/** The kinds of documents that are read. */
export type Kind = 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'odt' | 'epub' | 'rtf' | 'csv';
/** What the first bytes of a file say; an archive may hold several kinds. */
export type Container = 'pdf' | 'rtf' | 'zip' | 'ole' | 'csv';

/** Viewers look for it in so many bytes: ISO 32000-1, annex H.3.4.1. */
const PDF_BYTES = 1_024;
const CSV_TYPE =
  /^\s*(?:text\/(?:csv|tab-separated-values|x-csv|comma-separated-values)|application\/csv)\s*(?:;|$)/i;
/** Types under which servers send files that they do not know. */
const VAGUE =
  /^\s*(?:text\/plain|application\/octet-stream|binary\/octet-stream|application\/vnd\.ms-excel|)\s*(?:;|$)/i;

const UTF_16 = /;\s*charset\s*=\s*"?utf-?16/i;

/** Whether a file may be a document, by its first bytes. Only values without any are known by their type. */
export function containerOf(
  bytes: Uint8Array,
  { contentType = '', url }: { contentType?: string | undefined; url: string },
): Container | undefined {
  const head = Buffer.from(bytes.subarray(0, PDF_BYTES)).toString('latin1');
  if (/%PDF-\d/.test(head) && !/^\s*</.test(head)) return 'pdf';
  if (head.startsWith('{\\rtf')) return 'rtf';
  if (head.startsWith('PK\u0003\u0004')) return 'zip';
  if (head.startsWith('\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1')) return 'ole';
  const isUtf16 = /^(?:\u00ff\u00fe|\u00fe\u00ff)/.test(head) || UTF_16.test(contentType);
  if (head.includes('\u0000') && !isUtf16) return undefined;
  const isNamed = /\.(?:csv|tsv)$/i.test(URL.parse(url)?.pathname ?? '') && VAGUE.test(contentType);
  return CSV_TYPE.test(contentType) || isNamed ? 'csv' : undefined;
}
