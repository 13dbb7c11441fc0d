import { createInterface } from 'node:readline';
import { withoutKeys } from '../../shared/observe/redacted.ts';
import { explainFault } from '../explain-fault.ts';
import { connect } from './connect.ts';
import { help } from './help.ts';
import { csv, tables } from './print.ts';
import { readCommand, type Typed } from './read-command.ts';
import { required, target } from './read-values.ts';

try {
  const typed = readCommand(process.argv.slice(2));
  if (typed) await run(typed);
  else console.log(help());
} catch (error) {
  // Text typed by mistake may be a key too.
  console.error(withoutKeys(explainFault(error)));
  process.exitCode = 1;
}

async function run({ command, values, argument }: Typed): Promise<void> {
  const where = target(values);
  const isPiped = command.argument === 'KEY' && argument === '-';
  const execute = command.prepare(values, isPiped ? await firstLine() : argument);
  const result = await execute(await connect(where));
  console.log(printed(result, values));
  if (!values.json && !values.csv && command.note) console.error(`\n${command.note}`);
}

/** Keeps a key out of the shell's history and npm's log, which hold arguments. */
async function firstLine(): Promise<string> {
  if (process.stdin.isTTY) console.error('The key:');
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) return required(line.trim(), 'The key');
  return required('', 'The key');
}

function printed(result: object, { json, csv: isCsv }: Typed['values']): string {
  if (json) return JSON.stringify(result);
  return isCsv ? csv(result) : tables(result);
}
