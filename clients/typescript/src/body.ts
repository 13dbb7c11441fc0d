/** A body as far as it arrived. */
export type Body = { bytes: Uint8Array<ArrayBuffer>; isCut: boolean; hasLength: boolean };

/**
 * Reads a body to its end, or to where its connection broke. A gateway may end a body that was cut off like
 * a whole one, so its length is compared with the stated one.
 */
export async function bodyOf(response: Response, signal: AbortSignal): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let [length, isBroken] = [0, false];
  const reader = response.body?.getReader();
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      chunks.push(part.value);
      length += part.value.byteLength;
    }
  } catch (error) {
    if (signal.aborted) throw error;
    isBroken = true;
  }
  const stated = statedLength(response.headers);
  const isCut = isBroken || (stated !== undefined && length < stated);
  return { bytes: joined(chunks, length), isCut, hasLength: stated !== undefined };
}

/** Of a body that is compressed on its way, the stated length is not the received one. */
function statedLength(headers: Headers): number | undefined {
  const length = headers.get('X-Content-Length') ?? headers.get('Content-Length');
  return length === null || headers.has('Content-Encoding') ? undefined : Number(length);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
