import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects what nothing refers to any more, at once and whole. */
export const collectGarbage = runInNewContext('gc') as () => void;
