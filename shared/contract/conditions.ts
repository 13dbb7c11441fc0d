import { z } from 'zod';

/** A rule about a field that others decide, such as a field that is only allowed with another. */
export type Condition<R> = { name: keyof R; error: string; isMet: (request: R) => boolean };

/**
 * The schema with these rules. They run beside its own checks, so that all issues are reported. Of a value
 * that its own schema has refused, which may be of any type, they learn only that it is there.
 */
export function checkedBy<R extends object, S extends z.ZodType<R>>(
  schema: S,
  conditions: readonly Condition<R>[],
): S {
  const when = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;
  const check = z.core._check<R>(
    ({ value, issues }) => {
      const names = issues.flatMap(({ path }) => path?.[0] ?? []);
      const known = { ...value, ...Object.fromEntries(names.map((name) => [name, refused])) };
      for (const { name, error: message, isMet } of conditions)
        if (isBroken(known, isMet))
          issues.push({ code: 'custom', path: [name], message, input: value, continue: true });
    },
    { when },
  );
  return schema.check(check);
}

/** Thrown where a rule looks into a refused value. */
class Refused extends Error {}

/** Stands for a refused value: there, and nothing else. */
const refused = new Proxy(
  {},
  {
    get() {
      throw new Refused();
    },
  },
);

/** False too if the rule cannot be judged, because it looks into a refused value. */
function isBroken<R>(request: R, isMet: (request: R) => boolean): boolean {
  try {
    return !isMet(request);
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}
