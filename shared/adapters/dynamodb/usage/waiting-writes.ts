import type { UsageWrite } from './usage-write.ts';

export function syncNoted(now: Date): UsageWrite {
  return {
    condition: ['attribute_exists(pk)'],
    set: ['sync_at = :now'],
    values: { ':now': now.getTime() },
    names: {},
  };
}

/** Notes that jobs wait, while all slots that jobs may take are taken. */
export function waitingNoted(slots: number, now: Date, isAwaited: boolean): UsageWrite {
  return {
    condition: [
      'attribute_exists(pk)',
      'size(slots) >= :slots',
      ...(isAwaited ? ['is_awaited = :true'] : []),
    ],
    set: ['waiting_at = :now', 'is_awaited = :true'],
    values: { ':slots': slots, ':now': now.getTime(), ':true': true },
    names: {},
  };
}

export function backlogNoted(now: Date): UsageWrite {
  return {
    condition: ['attribute_exists(pk)'],
    set: ['waiting_at = :now', 'is_awaited = :true'],
    values: { ':now': now.getTime(), ':true': true },
    names: {},
  };
}

/** The next slot of a job lists the organization again. */
export const unlisted: UsageWrite = {
  condition: ['attribute_exists(pk)'],
  set: ['is_listed = :false'],
  values: { ':false': false },
  names: {},
};

/** Once the organization is on the list. */
export const listed: UsageWrite = {
  condition: ['attribute_exists(pk)'],
  set: ['is_listed = :true'],
  values: { ':true': true },
  names: {},
};

export function waitingCleared(waitingAt: number): UsageWrite {
  return {
    condition: ['waiting_at = :seen'],
    set: ['is_awaited = :false'],
    values: { ':seen': waitingAt, ':false': false },
    names: {},
  };
}
