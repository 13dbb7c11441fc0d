import { v7 } from 'uuid';
import type { Effects } from '../ports.ts';

export const clock: Pick<Effects, 'now' | 'newId'> = { now: () => new Date(), newId: () => v7() };
