import type { ErrorCode } from '../../shared/errors.ts';
import type { Help } from './help.ts';
import { helpForRequests } from './help-for-requests.ts';
import { helpForScrapes } from './help-for-scrapes.ts';

/** A code without its row does not compile. */
export const errorHelp: Readonly<Record<ErrorCode, Help>> = { ...helpForRequests, ...helpForScrapes };
