import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work after which timers and sockets get their turn. */
const TURN_MS = 20;

/** Call it often: it lets others run once in a while. */
export function turnTaker(): () => Promise<void> | undefined {
  let turnEnds = performance.now() + TURN_MS;
  return () => {
    if (performance.now() < turnEnds) return undefined;
    return setImmediate().then(() => {
      turnEnds = performance.now() + TURN_MS;
    });
  };
}
