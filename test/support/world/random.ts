/** Random choices that are the same for the same seed. */
export type Random = {
  /** From 0 to `below` - 1. */
  int: (below: number) => number;
  /** True this often, from 0 to 1. */
  chance: (share: number) => boolean;
  of: <T>(choices: readonly T[]) => T;
  /** Some of these, in their order. */
  some: <T>(all: readonly T[], share?: number) => T[];
};

/** Mulberry32: https://github.com/bryc/code/blob/master/jshash/PRNGs.md#mulberry32 */
export function randomOf(seed: number): Random {
  let state = Math.imul(seed, 0x9e_37_79_b1) >>> 0;
  const next = () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    chance: (share) => next() < share,
    of: (choices) => {
      const chosen = choices[int(choices.length)];
      if (chosen === undefined && choices.length === 0) throw new Error('There is nothing to choose.');
      return chosen as (typeof choices)[number];
    },
    some: (all, share = 0.5) => all.filter(() => next() < share),
  };
}
