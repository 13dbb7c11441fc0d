const MILLISECONDS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Milliseconds between two runs of `rate(5 minutes)`.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rate-expressions.html
 */
export function parseRate(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const milliseconds = Number(count) * (MILLISECONDS[unit ?? ''] ?? NaN);
  if (Number.isNaN(milliseconds)) throw new Error(`The local stack cannot run the schedule ${expression}.`);
  return milliseconds;
}
