import { setTimeout } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Effects } from '../ports/effects.ts';

export const clock: Pick<Effects, 'now' | 'newId' | 'wait'> = {
  now: () => new Date(),
  newId: () => v7(),
  wait: (ms) => setTimeout(ms),
};
