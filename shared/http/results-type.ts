import type { AuthenticatedCall } from './call.ts';
import { preferredType } from './content-encoding.ts';

/** The types of results: lines, or the list of the parts that hold them. */
export const LINES = 'application/x-ndjson';
const PARTS = 'application/json';

/** Callers that do not ask for the list of parts get lines. */
export function wantsJson({ headers }: Pick<AuthenticatedCall, 'headers'>): boolean {
  return preferredType(headers['accept'], [LINES, PARTS]) === PARTS;
}
