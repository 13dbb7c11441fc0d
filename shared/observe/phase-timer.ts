import { Phase, type PhaseTimes } from '../contract/scrape/phase.ts';

export type PhaseTimer = {
  /** Ends the previous phase, so that phases add up to the total. */
  enter: (phase: Phase) => void;
  /** Attributes time spent in another function to the current phase. */
  attribute: (times: PhaseTimes) => void;
  phases: () => PhaseTimes;
};

export function timePhases(): PhaseTimer {
  const spent: PhaseTimes = {};
  let current: Phase | undefined;
  let since = performance.now();

  const add = (phase: Phase | undefined, ms: number) => {
    if (phase) spent[phase] = (spent[phase] ?? 0) + ms;
  };
  const enter = (next: Phase | undefined) => {
    const now = performance.now();
    add(current, now - since);
    [current, since] = [next, now];
  };
  return {
    enter,
    attribute: (times) => {
      for (const [phase, ms] of entriesOf(times)) {
        add(phase, ms);
        add(current, -ms);
      }
    },
    phases: () => {
      enter(current);
      const times: PhaseTimes = {};
      // Clocks of two machines differ, so a remainder may be negative.
      for (const [phase, ms] of entriesOf(spent)) times[phase] = Math.max(0, Math.round(ms));
      return times;
    },
  };
}

function entriesOf(times: PhaseTimes): [Phase, number][] {
  return Phase.options.flatMap((phase): [Phase, number][] => {
    const ms = times[phase];
    return ms === undefined ? [] : [[phase, ms]];
  });
}
