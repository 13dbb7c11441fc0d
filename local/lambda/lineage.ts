import { createHash } from 'node:crypto';

/**
 * Invocations of one function in a chain of requests, after which Lambda stops it.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
export const MAX_INVOCATIONS = 16;

type Lineage = ReadonlyMap<string, number>;

/** Lambda's error for an invocation above that, unless the function allows recursion. */
export class RecursionError extends Error {
  override name = 'RecursiveInvocationException';
}

/**
 * The trace header of an invocation of a function, and how many of its invocations the chain then has.
 * Lambda puts the count into the field `Lineage`, which SDKs and queues pass on. Of the messages of a batch
 * the longest chain counts.
 */
export function continueTrace(
  arn: string,
  root: string,
  callers: readonly string[],
): { header: string; invocations: number } {
  const id = createHash('sha256').update(arn).digest('hex').slice(0, 8);
  const lineage = new Map<string, number>();
  for (const [other, count] of callers.flatMap((header) => [...lineageIn(header)]))
    lineage.set(other, Math.max(count, lineage.get(other) ?? 0));
  const invocations = (lineage.get(id) ?? 0) + 1;
  lineage.set(id, invocations);
  const counts = [...lineage].map(([other, count]) => `${other}:${count}`);
  const inherited = /Root=([^;]+)/.exec(callers[0] ?? '')?.[1];
  return { header: `Root=${inherited ?? root};Sampled=0;Lineage=${counts.join('|')}`, invocations };
}

/** The format is Lambda's own: `Lineage=<function>:<count>|<function>:<count>`. */
function lineageIn(header: string): Lineage {
  const counts = /Lineage=([^;]+)/.exec(header)?.[1]?.split('|') ?? [];
  return new Map(
    counts.map((count) => {
      const [id = '', number] = count.split(':');
      return [id, Number(number)];
    }),
  );
}
