import { z } from 'zod';

const NIL_ID = '00000000-0000-7000-8000-000000000000';

/** A well-formed id, or an unused one: a malformed id takes as long to look up as any other. */
export function idOrNil(id: string): string {
  return z.uuid().safeParse(id).success ? id : NIL_ID;
}
