const RENDERED: readonly string[] = ['text/html', 'application/xhtml+xml'];
/** Types that say nothing, upon which the bytes decide: https://mimesniff.spec.whatwg.org/#supplied-mime-type-detection-algorithm */
const UNKNOWN: readonly string[] = ['', 'unknown/unknown', 'application/unknown', '*/*'];
const MIME = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/;

/** https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type */
const MARKUP =
  /^(?:\xEF\xBB\xBF)?[\t\n\f\r ]*<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>])/i;
const SNIFFED_BYTES = 1_445;

/** Whether a response is rendered, or comes back as it is, or cannot be told without a look at its bytes. */
export function documentType(contentType: string | undefined): 'rendered' | 'raw' | 'unknown' {
  // Several Content-Type headers are joined with commas, and the last one counts.
  const essence = (contentType?.split(',').at(-1)?.split(';')[0] ?? '').trim().toLowerCase();
  if (UNKNOWN.includes(essence) || !MIME.test(essence)) return 'unknown';
  return RENDERED.includes(essence) ? 'rendered' : 'raw';
}

/** Whether bytes without a usable type are HTML. */
export function looksLikeHtml(bytes: Uint8Array): boolean {
  return MARKUP.test(Buffer.from(bytes.subarray(0, SNIFFED_BYTES)).toString('latin1'));
}
