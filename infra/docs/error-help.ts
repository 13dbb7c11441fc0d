import type { ErrorCode } from '../../shared/errors.ts';
import { helpForRequests } from './help-for-requests.ts';
import { helpForScrapes } from './help-for-scrapes.ts';

/** Why an error happens and what to do about it, in Markdown, for readers of `/docs/errors/<code>`. */
export type Help = { cause: string; remedy: string };

/** A code without its row does not compile. */
export const errorHelp: Readonly<Record<ErrorCode, Help>> = { ...helpForRequests, ...helpForScrapes };
