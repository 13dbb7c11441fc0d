import { expect } from 'vitest';
import { extent } from './extent.ts';

const MAX_CALLS = 400;

/** The point at which a process dies: its n-th port call, with or without the effect of that call. */
export type Death = {
  call: number;
  isDone: boolean;
  /** Called there. Instead of dying, it stalls until this resolves, and then continues normally. */
  stall?: () => Promise<unknown>;
};

export class Died extends Error {
  constructor() {
    super('The process died.');
  }
}

/**
 * The same ports for a process that dies: from its last call on, no call has an effect and none returns.
 * Ports are functions or objects of functions. A function that returns no promise has no effect and never
 * fails.
 */
export function mortal<T extends object>(ports: T, death: Death | undefined): T & { hasDied: () => boolean } {
  let calls = 0;
  let isDead = false;

  const wrap = (call: (...args: unknown[]) => unknown) =>
    async function dying(...args: unknown[]): Promise<unknown> {
      calls += 1;
      if (isDead) throw new Died();
      if (calls !== death?.call) {
        const result = await call(...args);
        if (isDead as boolean) throw new Died();
        return result;
      }
      if (death.stall) {
        const early = death.isDone ? { result: await call(...args) } : undefined;
        await death.stall();
        return early ? early.result : call(...args);
      }
      isDead = true;
      if (death.isDone) await call(...args);
      throw new Died();
    };
  const wrapped = Object.entries(ports).map(([name, port]: [string, unknown]) => {
    if (INSTANT.includes(name) || port === null) return [name, port];
    if (typeof port === 'function') return [name, wrap(port as never)];
    const members = Object.entries(port as Record<string, unknown>).map(([key, value]) => {
      const member = typeof value === 'function' ? wrap(value as never) : value;
      return [key, member] as const;
    });
    return [name, Object.fromEntries(members)];
  });
  return { ...(Object.fromEntries(wrapped) as T), hasDied: () => isDead };
}

const INSTANT = ['now', 'newId', 'count'];

/**
 * Tries a death at every call, each in a world of its own: before or after its effect in turn, in the soak
 * both. The story answers whether the death came: once it did not, there are no more calls. A stride skips
 * calls that are like others.
 */
export async function atEveryCall<World>(
  open: () => Promise<World>,
  story: (world: World, death: Death) => Promise<boolean>,
  stride = 1,
): Promise<void> {
  for (const parity of extent([0], [0, 1])) {
    let call = 1;
    while (await story(await open(), { call, isDone: call % 2 === parity })) {
      call += stride;
      expect(call).toBeLessThan(MAX_CALLS);
    }
    expect(call).toBeGreaterThan(5);
  }
}
