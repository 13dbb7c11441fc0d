import { z } from 'zod';

/** A rule about a field that others decide, such as one that is only allowed with another. */
export type Condition<R> = { name: keyof R; error: string; isMet: (request: R) => boolean };

/** The schema with these rules. They run beside its own checks, so that all issues are reported. */
export function checkedBy<R extends object, S extends z.ZodType<R>>(
  schema: S,
  conditions: readonly Condition<R>[],
): S {
  const when = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;
  return conditions.reduce<S>(
    (checked, { name, error, isMet }) => checked.check(z.refine<R>(isMet, { path: [name], error, when })),
    schema,
  );
}
