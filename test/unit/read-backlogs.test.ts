import { beforeEach, expect, test } from 'vitest';
import { readBacklogs } from '../../functions/worker/backlog/read-backlogs.ts';
import type { OpenJob } from '../../shared/contract/jobs/job.ts';
import { NOON, pendingJob } from '../support/jobs.ts';

/** Jobs that become due in so many seconds. */
const dueIn = (...seconds: number[]) =>
  seconds.map((n) => pendingJob({ dueAt: new Date(NOON.getTime() + n * 1_000) }));

let time: number;
let backlog: OpenJob[];
let taken: Set<OpenJob>;
/** Seconds after noon from which the backlog was read; 0 is its start. */
let reads: number[];
let read: () => Promise<OpenJob[]>;

beforeEach(() => {
  time = NOON.getTime();
  taken = new Set();
  reads = [];
  const readBacklog = readBacklogs(() => new Date(time));
  const list = async (from = NOON) => {
    reads.push((from.getTime() - NOON.getTime()) / 1_000);
    const free = backlog.filter((job) => !taken.has(job));
    return Promise.resolve(free.filter(({ dueAt }) => dueAt >= from));
  };
  read = () => readBacklog('backlog', list);
});

test('a backlog is read from the first job that was free', async () => {
  backlog = dueIn(1, 2, 3, 4);
  taken = new Set(backlog.slice(0, 2));
  expect(await read()).toEqual(backlog.slice(2));
  taken = new Set(backlog.slice(0, 3));
  expect(await read()).toEqual(backlog.slice(3));
  expect(await read()).toEqual(backlog.slice(3));
  expect(reads).toEqual([0, 3, 4]);
});

test('a job that becomes the first one is found within two seconds', async () => {
  backlog = dueIn(10, 20);
  await read();
  const urgent = dueIn(5);
  backlog = [...urgent, ...backlog];
  for (const ms of [1_000, 999]) {
    time += ms;
    expect(await read()).toEqual(backlog.slice(1));
  }
  time += 1;
  expect(await read()).toEqual(backlog);
  expect(reads).toEqual([0, 10, 10, 0]);
});

test('a job that became the first one is found at once if no other is left', async () => {
  backlog = dueIn(10);
  await read();
  backlog = dueIn(5);
  expect(await read()).toEqual(backlog);
  expect(reads).toEqual([0, 10, 0]);
});

test('the start is read again while no job is free', async () => {
  backlog = dueIn(1, 2);
  taken = new Set(backlog);
  await read();
  await read();
  expect(reads).toEqual([0, 0]);
});
