const UNRESERVED = /[\w.~-]/;

/**
 * Percent-encoded bytes in capitals, and decoded where they need no encoding:
 * https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2. `URL` itself resolves dots and lowers the host.
 */
export function normalizedEscapes(text: string): string {
  return text.replace(/%[\da-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(parseInt(encoded.slice(1), 16));
    return UNRESERVED.test(character) ? character : encoded.toUpperCase();
  });
}
