// @ts-check
import { apply, replace } from './native.page.js';

const { floor, max } = Math;

/** So many readings of one moment are a script that waits in a loop. Further ones see the time pass. */
const MOST_READINGS = 20_000;
const STEP_MS = 0.1;

/** The page's clock stands still within a task, so a loop that waits for it there would never end. */
export function moveClock() {
  const sinceStart = watched();
  replace(Performance.prototype, 'now', (self, args, native) => sinceStart(numberOf(native, self, args)));
  const sinceEpoch = watched();
  replace(Date, 'now', (self, args, native) => floor(sinceEpoch(numberOf(native, self, args))));
  /** @type {unknown} */
  let deadline;
  let untilBusy = watched();
  replace(IdleDeadline.prototype, 'timeRemaining', (self, args, native) => {
    if (self !== deadline) untilBusy = watched();
    deadline = self;
    return max(0, -untilBusy(-numberOf(native, self, args)));
  });
}

/** @type {(native: Function, self: unknown, args: unknown[]) => number} */
const numberOf = (native, self, args) => /** @type {number} */ (apply(native, self, args));

/** A clock that moves on once it has been read too often at one time. */
function watched() {
  let last = -Infinity;
  let shown = -Infinity;
  let readings = 0;
  /** @param {number} time */
  return (time) => {
    if (time !== last) readings = 0;
    else readings += 1;
    last = time;
    if (readings > MOST_READINGS) shown = max(shown, time) + STEP_MS;
    return max(shown, time);
  };
}
