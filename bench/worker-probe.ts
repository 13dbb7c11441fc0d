/** Loaded into an environment before its function: tells on SIGUSR2, as one line, how the process is doing. */
import { collectGarbage } from '../test/support/collect-garbage.ts';

const MEGABYTE = 1_000_000;
const TICK_MS = 5;

let longestMs = 0;
let before = cpuMs();
// CPU time, as what others do on the machine is not the function's fault.
setInterval(() => {
  const now = cpuMs();
  longestMs = Math.max(longestMs, now - before);
  before = now;
}, TICK_MS).unref();

process.on('SIGUSR2', () => {
  const spent = process.cpuUsage();
  // What the first collection sets free may hold what the second one collects.
  collectGarbage();
  collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  const memory = { rss_mb: rss / MEGABYTE, heap_mb: heapUsed / MEGABYTE, external_mb: external / MEGABYTE };
  const probe = { ...memory, longest_turn_ms: longestMs, cpu_ms: sum(spent) };
  // Past the console, which the runtime has its own way with.
  process.stdout.write(`${JSON.stringify({ probe })}\n`);
  [longestMs, before] = [0, cpuMs()];
});

/** Of the main thread alone. */
function cpuMs(): number {
  return sum(process.threadCpuUsage());
}

function sum({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}
