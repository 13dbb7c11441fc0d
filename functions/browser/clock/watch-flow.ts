import type { Network } from '../page/network.ts';

/** Most documents are smaller and are drawn from the start. */
const DRAWN_BYTES = 524_288;
/** A document that arrives more slowly than this is a stream that people watch. */
const FLOW_BYTES = 131_072;
const FLOW_MS = 500;

/** Each frame would lay out a large document again, which delays the renderer's reading. */
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
