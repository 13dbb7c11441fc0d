import { v7 } from 'uuid';
import type { Effects } from '../ports.ts';

/** Time and ids as the machine has them. */
export const clock: Pick<Effects, 'now' | 'newId'> = { now: () => new Date(), newId: () => v7() };
