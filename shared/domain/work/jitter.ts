/** Its multiples spread evenly over 0 to 1. */
const GOLDEN_RATIO = 0.618;

/** 0 to 1, from the random end of an id and a number, so that work that failed together is retried apart. */
export function jitter(id: string, n: number): number {
  return (Number.parseInt(id.slice(-4), 16) / 0x1_00_00 + n * GOLDEN_RATIO) % 1;
}
