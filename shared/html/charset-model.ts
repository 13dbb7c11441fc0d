import { inflateRawSync } from 'node:zlib';
import { eachFeature, FEATURES, TRIGRAM } from './charset-features.ts';
import { CHARSETS, GROUPS, WEIGHTS } from './charset-weights.ts';

/** Weights by feature: of each charset for `single`, of each group of charsets for `shared`. */
export type Model = {
  charsets: readonly string[];
  groups: readonly number[];
  single: ArrayLike<number>;
  shared: ArrayLike<number>;
};

const WESTERN = 'windows-1252';
const SAMPLE_BYTES = 1_024;
const NULLS = 0.1;

let loaded: Model | undefined;

/** The charset as which Chromium most likely reads bytes that nothing declares. */
export function detectCharset(bytes: Uint8Array): string {
  if (isUtf16(bytes)) return WESTERN;
  const model = (loaded ??= load());
  const scores = new Float64Array(model.charsets.length);
  eachFeature(bytes, (feature, weight) => addScores(model, scores, feature, weight));
  return model.charsets[scores.indexOf(Math.max(...scores))] ?? WESTERN;
}

/** Chromium recognizes it by its null bytes, and then does not decode it. */
function isUtf16(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  return sample.filter((byte) => byte === 0).length > sample.length * NULLS;
}

/** Adds what a feature says for each charset. */
export function addScores(model: Model, scores: Float64Array, feature: number, weight: number): void {
  const { charsets, groups, single, shared } = model;
  const groupCount = Math.max(...groups) + 1;
  for (let charset = 0; charset < charsets.length; charset += 1) {
    const score =
      feature < TRIGRAM
        ? single[feature * charsets.length + charset]
        : shared[(feature - TRIGRAM) * groupCount + (groups[charset] ?? 0)];
    scores[charset] = (scores[charset] ?? 0) + (score ?? 0) * weight;
  }
}

function load(): Model {
  const bytes = inflateRawSync(Buffer.from(WEIGHTS, 'base64'));
  const all = Int8Array.from(bytes, (byte) => (byte << 24) >> 24);
  const end = TRIGRAM * CHARSETS.length;
  if (all.length < end + FEATURES - TRIGRAM) throw new Error('The weights are of another model.');
  return { charsets: CHARSETS, groups: GROUPS, single: all.subarray(0, end), shared: all.subarray(end) };
}
