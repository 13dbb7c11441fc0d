import { totalmem } from 'node:os';
import type { FunctionBlueprint } from './template/blueprint.ts';

const MIN_ENVIRONMENTS = 4;
const MAX_ENVIRONMENTS = 32;
const MEBIBYTE = 2 ** 20;

/** As many as fit this machine if each used all of its memory. */
export function environmentsFor({ memoryMb }: FunctionBlueprint): number {
  const fitting = Math.floor(totalmem() / MEBIBYTE / memoryMb);
  return Math.min(Math.max(fitting, MIN_ENVIRONMENTS), MAX_ENVIRONMENTS);
}
