import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { linesLeft, partsOf } from '../../../shared/domain/batches/chunk-state.ts';
import type { Chunks, Uploads } from '../../../shared/ports/batches.ts';
import { step } from './step.ts';

/** The Chunks port in memory: passes the same contract suite as the real one. */
export function inMemoryChunks(): Chunks & { all: () => Chunk[] } {
  const chunks = new Map<string, Chunk>();
  const counted = new Map<string, Chunk>();
  const all = () => [...chunks.values()];
  const countedOf = (batchId: string) =>
    [...counted.values()].filter((chunk) => chunk.batchId === batchId).sort((a, b) => a.index - b.index);
  return {
    all,
    create: (chunk) =>
      step(() => {
        if (chunks.has(chunk.id)) return false;
        chunks.set(chunk.id, chunk);
        return true;
      }),
    find: (id) => step(() => chunks.get(id)),
    findAll: (ids) => step(() => ids.flatMap((id) => chunks.get(id) ?? [])),
    replace: (before, after) =>
      step(() => {
        const stored = chunks.get(before.id);
        const isSame =
          stored?.status === before.status &&
          stored.fencingToken === before.fencingToken &&
          stored.version === before.version;
        if (isSame) chunks.set(after.id, after);
        return isSame;
      }),
    waiting: ({ id, orgId }, limit) =>
      step(() =>
        all()
          .filter((chunk) => chunk.batchId === id && chunk.orgId === orgId && chunk.status === 'waiting')
          .sort((a, b) => Number(a.dueAt) - Number(b.dueAt))
          .slice(0, limit),
      ),
    due: (now, limit) =>
      step(() =>
        all()
          .filter(({ status, dueAt }) => status !== 'waiting' && dueAt !== undefined && dueAt <= now)
          .slice(0, limit),
      ),
    count: (chunk, total) =>
      step(() => {
        const known = counted.get(chunk.id);
        if (known === undefined || known.version < chunk.version) counted.set(chunk.id, chunk);
        const done = countedOf(chunk.batchId).filter((each) => linesLeft(each) === 0);
        return linesLeft(chunk) === 0 && done.length === total;
      }),
    progress: (batchId) =>
      step(() =>
        countedOf(batchId).map((chunk) => {
          const { index, completed, failed, invalid, credits, charged, verdicts } = chunk;
          const isDone = linesLeft(chunk) === 0;
          const counts = { completed, failed, invalid, credits, charged, verdicts };
          return { index, ...counts, parts: partsOf(chunk).length, isDone };
        }),
      ),
  };
}

/** The Uploads port in memory, and what a caller does with a link. */
export function inMemoryUploads(): Uploads & {
  send: (link: string, text: string) => void;
  /** The same with bytes that are only counted. */
  sendSize: (link: string, size: number) => void;
} {
  const stored = new Map<string, { bytes: Buffer; size?: number; version: string }>();
  let versions = 0;
  const keep = (key: string, bytes: Buffer) => {
    const version = `v${++versions}`;
    stored.set(key, { bytes, version });
    return version;
  };
  return {
    send: (link, text) => void keep(new URL(link).pathname.slice(1), Buffer.from(text)),
    sendSize: (link, size) =>
      void stored.set(new URL(link).pathname.slice(1), { bytes: Buffer.of(), size, version: 'large' }),
    link: (key, seconds, length) =>
      step(
        () =>
          `https://uploads.test/${key}?seconds=${seconds}${length === undefined ? '' : `&length=${length}`}`,
      ),
    find: (key) =>
      step(() => {
        const found = stored.get(key);
        return found && { bytes: found.size ?? found.bytes.byteLength, version: found.version };
      }),
    read: ({ key, version }, from, to) =>
      step(() => {
        const found = stored.get(key);
        return found?.version === version ? Readable.from([found.bytes.subarray(from, to)]) : undefined;
      }),
    write: async (key, bytes) => {
      const whole = await buffer(bytes);
      return step(() => keep(key, whole));
    },
    remove: (key) => step(() => void stored.delete(key)),
  };
}
