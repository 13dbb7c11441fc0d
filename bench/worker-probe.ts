/** Loaded before the function: on SIGUSR2 it prints a line about the process. */
import { collectGarbage } from '../test/support/collect-garbage.ts';

const MEGABYTE = 1_000_000;
const TICK_MS = 5;

let longestMs = 0;
let before = cpuMs();
// CPU time, because other processes affect wall time.
setInterval(() => {
  const now = cpuMs();
  longestMs = Math.max(longestMs, now - before);
  before = now;
}, TICK_MS).unref();

process.on('SIGUSR2', () => {
  const spent = process.cpuUsage();
  // A second collection frees what the first one released.
  collectGarbage();
  collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  const memory = { rss_mb: rss / MEGABYTE, heap_mb: heapUsed / MEGABYTE, external_mb: external / MEGABYTE };
  const probe = { ...memory, longest_turn_ms: longestMs, cpu_ms: sum(spent) };
  // Bypasses the console, which the runtime patches.
  process.stdout.write(`${JSON.stringify({ probe })}\n`);
  [longestMs, before] = [0, cpuMs()];
});

/** Of the main thread only. */
function cpuMs(): number {
  return sum(process.threadCpuUsage());
}

function sum({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}
