import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ADDRESS } from './commands.ts';

/** One line of the terminal and the millisecond at which it appeared. */
export type Line = { at: number; text: string; kind: 'command' | 'note' | 'output' };

const END = 'end-of-command';

export async function recordSession(
  commands: readonly string[],
  { cwd, baseUrl, path }: { cwd: string; baseUrl: string; path: string },
): Promise<Line[]> {
  const shell = spawn('sh', [], { cwd, env: { PATH: path }, stdio: ['pipe', 'pipe', 'inherit'] });
  const printed = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  const lines: Line[] = [];
  for (const command of commands) {
    const isNote = command.startsWith('#');
    lines.push({ at: performance.now(), text: command, kind: isNote ? 'note' : 'command' });
    if (isNote) continue;
    shell.stdin.write(`${command.replaceAll(ADDRESS, baseUrl)}\necho ${END}\n`);
    for (let next = await printed.next(); next.value !== END; next = await printed.next()) {
      if (next.done) throw new Error(`The shell ended in: ${command}`);
      lines.push({ at: performance.now(), text: next.value.trimEnd(), kind: 'output' });
    }
  }
  await ended(shell);
  return lines;
}

async function ended(shell: ChildProcess): Promise<void> {
  const exit = once(shell, 'exit');
  shell.stdin?.end();
  await exit;
}
