import { eachFeature, FEATURES, TRIGRAM } from '../../shared/html/charset-features.ts';
import { addScores, type Model } from '../../shared/html/charset-model.ts';

const RATE = 0.08;
const LAST_RATE = 0.1;
const EPOCHS = 10;
const TOO_SMALL = 1e-4;

/** A document by its features, and the charsets that show it as Chromium does. */
export type Sample = { features: Float64Array; right: readonly number[] };

export function sampleOf(bytes: Uint8Array, right: readonly number[]): Sample {
  const features: number[] = [];
  eachFeature(bytes, (feature, weight) => features.push(feature, weight));
  return { features: Float64Array.from(features), right };
}

/** Multinomial logistic regression by AdaGrad: https://jmlr.org/papers/v12/duchi11a.html */
export function fit(samples: readonly Sample[], charsets: readonly string[], groups: readonly number[]) {
  const [charsetCount, groupCount] = [charsets.length, Math.max(...groups) + 1];
  const single = layer(TRIGRAM, charsetCount);
  const shared = layer(FEATURES - TRIGRAM, groupCount);
  const model: Model = { charsets, groups, single: single.weights, shared: shared.weights };
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    const rate = RATE * (1 - ((1 - LAST_RATE) * epoch) / EPOCHS);
    for (const sample of shuffled(samples, epoch)) step(sample, rate);
  }
  return model;

  function step({ features, right }: Sample, rate: number): void {
    const errors = errorsOf(model, features, right);
    const ofGroups = new Float64Array(groupCount);
    errors.forEach(
      (error, charset) => (ofGroups[groups[charset] ?? 0] = (ofGroups[groups[charset] ?? 0] ?? 0) + error),
    );
    for (let index = 0; index < features.length; index += 2) {
      const [feature = 0, weight = 0] = features.subarray(index, index + 2);
      if (feature < TRIGRAM) single.learn(feature, errors, weight, rate);
      else shared.learn(feature - TRIGRAM, ofGroups, weight, rate);
    }
  }
}

function layer(rows: number, columns: number) {
  const weights = new Float32Array(rows * columns);
  const squares = new Float32Array(rows * columns).fill(TOO_SMALL);
  return {
    weights,
    learn(row: number, errors: Float64Array, weight: number, rate: number): void {
      for (let column = 0; column < columns; column += 1) {
        const gradient = (errors[column] ?? 0) * weight;
        if (Math.abs(gradient) < TOO_SMALL) continue;
        const at = row * columns + column;
        squares[at] = (squares[at] ?? 0) + gradient ** 2;
        weights[at] = (weights[at] ?? 0) - (rate * gradient) / Math.sqrt(squares[at] ?? 1);
      }
    },
  };
}

/** How much more likely each charset is by the model than by the answer, which any of `right` fulfils. */
function errorsOf(model: Model, features: Float64Array, right: readonly number[]): Float64Array {
  const likely = new Float64Array(model.charsets.length);
  for (let index = 0; index < features.length; index += 2)
    addScores(model, likely, features[index] ?? 0, features[index + 1] ?? 0);
  const most = Math.max(...likely);
  likely.forEach((score, charset) => (likely[charset] = Math.exp(score - most)));
  const all = likely.reduce((sum, each) => sum + each, 0);
  const ofRight = right.reduce((sum, charset) => sum + (likely[charset] ?? 0), 1e-12);
  const isRight = new Set(right);
  return likely.map((each, charset) => each / all - (isRight.has(charset) ? each / ofRight : 0));
}

function shuffled(samples: readonly Sample[], seed: number): readonly Sample[] {
  const order = [...samples];
  let state = seed + 1;
  for (let last = order.length - 1; last > 0; last -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (last + 1));
    [order[last], order[other]] = [order[other] as Sample, order[last] as Sample];
  }
  return order;
}
