import { expect, test } from 'vitest';
import { CrawlRequest } from '../../shared/contract/crawls/crawl-request.ts';
import { WaveLine } from '../../shared/contract/crawls/wave.ts';
import { newCrawl } from '../../shared/domain/crawls/crawl-state.ts';
import { chooseLines, type PausedUntil } from '../../shared/domain/crawls/next-wave.ts';
import { openRequestLog } from '../../shared/observe/request-log.ts';
import { linesIn } from '../../shared/use-cases/crawls/crawl-files.ts';
import { openStep } from '../../shared/use-cases/crawls/merge-step.ts';
import { openWindow, shorten } from '../../shared/use-cases/crawls/wave-window.ts';
import { inMemoryWorld } from '../support/world/in-memory-world.ts';
import { randomOf } from '../support/world/random.ts';

const [SOON, LATE] = ['2026-11-26T12:30:00.000Z', '2026-11-26T13:00:00.000Z'];

/** A queue whose parts have these hosts, one letter for a line. Waves are chosen of it step by step. */
async function queueOf(...parts: string[]) {
  const world = inMemoryWorld();
  const read: string[] = [];
  const open: typeof world.results.open = (key) => {
    read.push(key);
    return world.results.open(key);
  };
  const fx = { ...world, results: { ...world.results, open } };
  const request = CrawlRequest.parse({ urls: ['https://a/'], request: {} });
  const ids = { id: world.newId(), orgId: 'org', keyId: 'key', requestId: 'r' };
  let crawl = newCrawl({ ...ids, request }, world.now());
  const signal = new AbortController().signal;
  const context = { robotsToken: 'Sitefetch', requestLog: openRequestLog(), signal };
  let step = openStep(fx, crawl, undefined, context);
  let place = 0;
  for (const part of parts) {
    for (const host of part)
      await step.queue.add({
        url: `https://${host}/${place}`,
        crawl: { place: place++, depth: 0, via: 'link' },
      });
    await step.queue.close();
  }

  return {
    /** The places that a wave takes, at most so many. `isEnded`: of lines that end without a request. */
    take: async (
      pausedUntil: PausedUntil,
      most: number,
      isEnded = (_place: number) => false,
      mostAt = (_host: string) => 500,
    ) => {
      crawl = { ...crawl, version: crawl.version + 1 };
      step = openStep(fx, crawl, step.manifest, context);
      read.length = 0;
      const window = await openWindow(step, { pausedUntil, mostAt });
      const left = window.lines.filter((line) => !isEnded(line.crawl.place));
      const { due } = window;
      const chosen = chooseLines(left, { most, mostAt, pausedUntil, due });
      await shorten(step, window, left, chosen);
      const ended = window.lines.filter((line) => !left.includes(line));
      const placesIn = (lines: readonly WaveLine[]) => lines.map((line) => line.crawl.place);
      return { chosen: placesIn(chosen), ended: placesIn(ended), due, files: read.length };
    },
    places: async () => {
      const places: number[] = [];
      for (const { key, from, lines } of step.manifest.queue) {
        const all: WaveLine[] = [];
        for await (const line of linesIn(world, key, WaveLine)) all.push(line);
        expect(all).toHaveLength(lines);
        places.push(...all.slice(from).map((line) => line.crawl.place));
      }
      return places;
    },
    parts: () => step.manifest.queue.length,
  };
}

const onlyPaused = (paused: Record<string, string>) => (host: string) => paused[host];

test('parts of hosts in a pause are not read, unless all hosts are in one', async () => {
  const queue = await queueOf('a'.repeat(1_500), 'b'.repeat(1_500), 'a'.repeat(1_500), 'ab');
  const all = await queue.places();
  expect(await queue.take(onlyPaused({ a: LATE }), 2)).toMatchObject({ chosen: [1_500, 1_501], files: 2 });
  expect(await queue.take(onlyPaused({ a: LATE, b: SOON }), 2)).toEqual({
    ...{ chosen: [1_502, 1_503], ended: [], due: SOON, files: 2 },
  });
  expect(await queue.places()).toEqual(all.filter((place) => place < 1_500 || place > 1_503));
  expect(await queue.take(onlyPaused({ a: SOON, b: LATE }), 1)).toMatchObject({ chosen: [0], files: 2 });
});

test('a host with a long delay holds no other up, however many of its lines come first', async () => {
  const queue = await queueOf('a'.repeat(50_000), 'b'.repeat(3));
  const all = await queue.places();
  const mostAt = (host: string) => (host === 'a' ? 2 : 500);
  const take = () => queue.take(() => undefined, 9, undefined, mostAt);
  expect(await take()).toMatchObject({ chosen: [0, 1, 50_000, 50_001, 50_002], files: 2 });
  expect(await queue.places()).toEqual(all.slice(2, 50_000));
  expect(await take()).toMatchObject({ chosen: [2, 3] });
  expect(await queue.places()).toEqual(all.slice(4, 50_000));
  expect(queue.parts()).toBeLessThan(4);
});

test('a part whose last line of some host was taken is read once more', async () => {
  const queue = await queueOf(`b${'a'.repeat(2_000)}`, `${'a'.repeat(2_000)}c`);
  const pauses = { a: LATE, c: SOON };
  expect(await queue.take(onlyPaused(pauses), 9)).toMatchObject({ chosen: [0], files: 1 });
  expect(await queue.take(onlyPaused(pauses), 9)).toMatchObject({ chosen: [], due: undefined, files: 1 });
  expect(await queue.take(onlyPaused(pauses), 9)).toMatchObject({ chosen: [4_001], due: SOON, files: 1 });
  expect(await queue.take(onlyPaused({ a: LATE }), 1)).toMatchObject({ chosen: [1], due: LATE, files: 1 });
});

test('whatever waves take and whichever hosts pause, all other lines stay in their order', async () => {
  const random = randomOf(11);
  const hosts = ['a', 'b', 'c', 'd'];
  const part = () => {
    const some = random.some(hosts, 0.5).concat('a');
    return Array.from({ length: random.int(1_800) }, () => random.of(some)).join('');
  };
  const queue = await queueOf(...Array.from({ length: 4 }, part));
  let left = await queue.places();
  for (let steps = 0, idle = 0; left.length > 0; steps += 1) {
    const pauses =
      idle > 0 ? {} : Object.fromEntries(random.some(hosts).map((host) => [host, random.of([SOON, LATE])]));
    const { chosen, ended } = await queue.take(
      onlyPaused(pauses),
      1 + random.int(900),
      (place) => place % 97 === 0,
    );
    const gone = new Set([...chosen, ...ended]);
    idle = gone.size > 0 ? 0 : idle + 1;
    left = left.filter((place) => !gone.has(place));
    expect(await queue.places()).toEqual(left);
    expect(queue.parts()).toBeLessThan(30);
    expect(steps).toBeLessThan(200);
  }
});
