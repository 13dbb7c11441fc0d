import { z } from 'zod';

/** What of a query tells pages apart. */
export const QueryRule = z.union([
  z.enum(['keep', 'ignore']),
  z.strictObject({
    drop: z
      .array(
        z
          .string()
          .max(100)
          .regex(/^[^&=#*\s]+\*?$/, 'expected the name of a parameter, or its beginning and *'),
      )
      .max(100)
      .describe('Names of parameters, without regard to case. `*` at the end is any ending.'),
  }),
]);
export type QueryRule = z.infer<typeof QueryRule>;
