#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { SitefetchError } from '../../typescript/src/sitefetch.ts';
import manifest from '../package.json' with { type: 'json' };
import { type Call, type Command, nameOf, type Terminal } from './command.ts';
import { batchRun } from './commands/batch.ts';
import { crawl, crawlLedger } from './commands/crawl.ts';
import { jobsCancel, jobsList, jobsSubmit, jobsWait } from './commands/jobs.ts';
import { login } from './commands/login.ts';
import { map } from './commands/map.ts';
import { mcp } from './commands/mcp.ts';
import { scrape } from './commands/scrape.ts';
import { usage } from './commands/usage.ts';
import { completionFor } from './completion.ts';
import { exitCodeOf } from './exit-code.ts';
import { helpOf } from './help.ts';
import { clientOf, environment, readSettings } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** Of two that match, the one with more words comes first. */
const COMMANDS: readonly Command[] = [
  ...[scrape, map, crawlLedger, crawl, batchRun],
  ...[jobsSubmit, jobsWait, jobsList, jobsCancel, usage, login, mcp],
];

const SHELLS = ['bash', 'zsh'] as const;

async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  const [first, second] = words;
  const { out } = terminal;
  if (first === 'completion') {
    const shell = SHELLS.find((each) => each === second);
    if (shell === undefined) throw new UsageError('completion takes bash or zsh.');
    out.write(completionFor(shell, COMMANDS));
    return 0;
  }
  if (first === '--version') out.write(`${manifest.version}\n`);
  if (first === '--help') out.write(helpOf(COMMANDS));
  if (first === undefined) throw new UsageError('A command or a URL is missing. See sitefetch --help.');
  if (first === '--version' || first === '--help') return 0;
  const command = COMMANDS.find((each) => isNamed(each, words) && each !== scrape) ?? scrape;
  if (words.includes('--help')) {
    out.write(helpOf(COMMANDS, command));
    return 0;
  }
  return (await command.run(callOf(command, words, terminal))) ?? 0;
}

const isNamed = (command: Command, words: readonly string[]) =>
  nameOf(command).every((word, index) => words[index] === word);

function callOf(command: Command, words: readonly string[], terminal: Terminal): Call {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short !== undefined && { short }), ...(multiple && { multiple }) },
    ]),
  );
  const { values, positionals } = parseArgs({
    args: words.slice(nameOf(command).length),
    options,
    allowPositionals: true,
  });
  const client = async () => clientOf(await readSettings(terminal.env));
  return { ...terminal, args: positionals, values, client };
}

/** One line for people, with what support needs. */
function explain(error: unknown): string {
  if (!(error instanceof SitefetchError)) return (error as Error).message;
  const { code, message, requestId, docUrl } = error;
  return [`${code}: ${message}`, requestId && `request ${requestId}`, docUrl].filter(Boolean).join('\n  ');
}

const { argv, stdin: input, stdout: out, stderr: err } = process;
// A reader that has seen enough, such as head, is no fault.
out.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
try {
  process.exitCode = await run(argv.slice(2), { env: environment(), input, out, err });
} catch (error) {
  err.write(`sitefetch: ${explain(error)}\n`);
  process.exitCode = exitCodeOf(error);
}
