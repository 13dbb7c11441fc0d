const RENDERED: readonly string[] = ['text/html', 'application/xhtml+xml'];
/** Types that leave the decision to the bytes: https://mimesniff.spec.whatwg.org/#supplied-mime-type-detection-algorithm */
const UNKNOWN: readonly string[] = ['', 'unknown/unknown', 'application/unknown', '*/*'];
const MIME = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/;

const MARKUP =
  /^(?:\xEF\xBB\xBF)?[\t\n\f\r ]*<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>])/i;
const SNIFFED_BYTES = 1_445;

export function documentType(contentType: string | undefined): 'rendered' | 'raw' | 'unknown' {
  // Chromium joins several Content-Type headers with commas; the last one counts.
  const essence = (contentType?.split(',').at(-1)?.split(';')[0] ?? '').trim().toLowerCase();
  if (UNKNOWN.includes(essence) || !MIME.test(essence)) return 'unknown';
  return RENDERED.includes(essence) ? 'rendered' : 'raw';
}

export function looksLikeHtml(bytes: Uint8Array): boolean {
  return MARKUP.test(Buffer.from(bytes.subarray(0, SNIFFED_BYTES)).toString('latin1'));
}
