import type { Network } from '../page/network.ts';

/** What a page is drawn with from the start: few documents are larger. */
const DRAWN_BYTES = 524_288;
/** A document that brings less in a while is a stream that people watch as it comes. */
const FLOW_BYTES = 131_072;
const FLOW_MS = 500;

/**
 * Whether a large document is pouring in. A frame would lay out all that is there of it, over and over, and as long as
 * the renderer does that it neither reads on nor reports how much it has read.
 */
export function watchFlow(network: Pick<Network, 'on'>, now = () => performance.now()): () => boolean {
  let document = '';
  let bytes = 0;
  let marked = 0;
  let flowedAt = -Infinity;

  network.on((fact) => {
    if (fact.what === 'committed') {
      document = fact.id;
      bytes = 0;
      marked = 0;
      flowedAt = -Infinity;
    } else if (fact.what === 'received' && fact.id === document) {
      bytes += fact.bytes;
      if (bytes < DRAWN_BYTES || bytes - marked < FLOW_BYTES) return;
      marked = bytes;
      flowedAt = now();
    } else if ((fact.what === 'ended' || fact.what === 'failed') && fact.id === document)
      flowedAt = -Infinity;
  });
  return () => now() - flowedAt < FLOW_MS;
}
