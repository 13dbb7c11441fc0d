import { beforeEach, expect, test } from 'vitest';
import { setStatus, updateOrganization } from '../../shared/use-cases/accounts/manage-organizations.ts';
import { setImmediate } from 'node:timers/promises';
import {
  JOBS,
  key,
  newServiceEachTest,
  orgId,
  service,
  shown,
  submitJob,
  usage,
  world,
} from '../support/each-test.ts';
import { page } from '../support/pages.ts';

const URL = 'https://example.com/';
const MINUTE_MS = 60_000;

/** URLs in the order in which they were fetched. */
let fetched: string[];

newServiceEachTest({ overrides: { concurrency: 1, credits: 100 } });
beforeEach(() => {
  fetched = [];
});

/** A job whose page names it, and what happens meanwhile. */
async function submit(name: string, fields = {}, meanwhile?: () => Promise<unknown>): Promise<string> {
  const url = `${URL}${name}`;
  world.web[url] = async () => {
    fetched.push(name);
    await meanwhile?.();
    return page(name);
  };
  return submitJob({ url, ...fields });
}

/**
 * Three jobs of one slot. The first came with a message, and the others wait. While the page of the second is
 * stored, and the third is chosen, something happens.
 */
async function whileChosenAhead(happens: (third: string) => unknown, fields = {}): Promise<string> {
  let third = '';
  await submit('first', {}, () => submit('second', {}, submitThird));
  const { put } = world.results;
  const { waiting } = world.jobs;
  let isChosen = false;
  world.jobs.waiting = async (...args) => {
    const listed = await waiting(...args);
    isChosen ||= listed.some(({ id }) => id === third);
    return listed;
  };
  let stored = 0;
  world.results.put = async (...args) => {
    if (++stored === 2) {
      while (!isChosen) await setImmediate();
      await happens(third);
    }
    return put(...args);
  };
  await service.work();
  return third;

  async function submitThird() {
    third = await submit('third', fields);
    // What the worker has read of the backlog is too old then.
    world.pass(400);
  }
}

test('a slot goes from one job to the next without being free in between', async () => {
  const samples: number[] = [];
  let statusThen: unknown;
  const third = await whileChosenAhead(async (id) => {
    statusThen = await shown(id);
    const { replace } = world.jobs;
    world.jobs.replace = async (before, after) => {
      if (after.id === id) samples.push(Object.keys((await usage()).slots).length);
      return replace(before, after);
    };
  });
  expect(statusThen).toMatchObject({ status: 'pending', attempts: 0 });
  expect(await shown(third)).toMatchObject({ status: 'completed', attempts: 1, credits_used: 1 });
  // It ended in a slot, and began in it without a write.
  expect(samples).toEqual([1]);
  expect(await usage()).toMatchObject({ slots: {}, used: 3, available: 97 });
});

test('a worker at the end of its time hands its slot to nobody', async () => {
  const third = await whileChosenAhead(() => world.pass(MINUTE_MS));
  expect(await shown(third)).toMatchObject({ status: 'pending', attempts: 0 });
  expect(await usage()).toMatchObject({ slots: {}, used: 2, available: 98 });
  expect(await world.jobs.waiting(orgId, { limit: 10 })).toHaveLength(1);
  expect(await service.work()).toEqual({ postponed: {}, kept: [] });
  expect(await shown(third)).toMatchObject({ status: 'completed', attempts: 1 });
  expect(await usage()).toMatchObject({ slots: {}, used: 3, available: 97 });
});

test('a job that was chosen fails without being fetched if its organization is suspended', async () => {
  const third = await whileChosenAhead(() => setStatus(world, orgId, 'suspended'));
  await setStatus(world, orgId, 'active');
  expect(await shown(third)).toMatchObject({ status: 'failed', error_code: 'organization_suspended' });
  expect(fetched).toEqual(['first', 'second']);
  expect(await usage()).toMatchObject({ slots: {}, used: 2, available: 98 });
});

test('a job that was chosen waits again if the concurrency was lowered', async () => {
  const third = await whileChosenAhead(() =>
    updateOrganization(world, orgId, { overrides: { concurrency: 0 } }),
  );
  expect(await shown(third)).toMatchObject({ status: 'pending', attempts: 0 });
  expect(await usage()).toMatchObject({ slots: {}, used: 2 });
  expect(await world.jobs.waiting(orgId, { limit: 10 })).toHaveLength(1);
});

test('a job that was chosen fails without being fetched once its time is over', async () => {
  const third = await whileChosenAhead(() => world.pass(61_000), { complete_within: 60 });
  await service.work();
  expect(await shown(third)).toMatchObject({
    status: 'failed',
    error_code: 'deadline_exceeded',
    attempts: 0,
  });
  expect(fetched).toEqual(['first', 'second']);
  expect(await usage()).toMatchObject({ slots: {}, used: 2, available: 98 });
});

test('a job that was chosen can be cancelled, and leaves no slot behind', async () => {
  const third = await whileChosenAhead((id) => service.ask(`${JOBS}/${id}/cancel`, { method: 'POST', key }));
  expect(await shown(third)).toMatchObject({ status: 'failed', error_code: 'cancelled' });
  expect(fetched).toEqual(['first', 'second']);
  expect(await usage()).toMatchObject({ slots: {}, used: 2, available: 98 });
});

test('a job that was chosen runs, even if the job before it is deleted while its page is stored', async () => {
  let second = '';
  const third = await whileChosenAhead(async () => {
    const { data } = (await service.ask(`${JOBS}?status=running`, { key })).json;
    second = (data as { job_id: string }[])[0]?.job_id ?? '';
    await service.ask(`${JOBS}/${second}`, { method: 'DELETE', key });
  });
  expect(await world.jobs.find(second)).toBeUndefined();
  expect(await shown(third)).toMatchObject({ status: 'completed', attempts: 1 });
  expect(await usage()).toMatchObject({ slots: {}, used: 2, available: 98 });
});
