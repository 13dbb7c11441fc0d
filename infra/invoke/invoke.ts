import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { runFunction } from '../../local/lambda/lambda-function.ts';
import type { FunctionName } from '../../shared/config.ts';
import { didYouMean } from '../did-you-mean.ts';
import { bufferedHandler } from '../constructs/buffered.ts';
import { bundleFunctions } from '../constructs/bundle-functions.ts';
import {
  assertFits,
  eventNamed,
  eventNames,
  type EventValues,
  eventsOf,
  filled,
  functionNamed,
  functionNames,
  pathOf,
  readEvent,
  valueOptions,
  VALUES_HELP,
} from './events.ts';
import { runningStack } from './variables.ts';

const HELP = `Usage: npm run -s invoke -- FUNCTION EVENT [OPTIONS]

Bundles a function, runs it once with an event, and prints its response; its log goes to stderr. It uses the tables and
queues of npm start, which must be running. Exits with 1 if the function fails.

EVENT is a file, - for stdin, or the name of an event in test/fixtures/events. Named events use the key of npm start and a
page of its demo site, unless you set others:

${VALUES_HELP}

${functionNames.map((name) => `  ${name.padEnd(12)}${eventsOf(name).join(', ')}`).join('\n')}`;

const options = { ...valueOptions, help: { type: 'boolean', short: 'h', default: false } } as const;

type Outcome = { printed: string; isFault: boolean };

/** Runs what the arguments say. Throws if they are wrong, or if no stack runs. */
export async function invoke(args: string[]): Promise<Outcome> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const { help, ...given } = values;
  const [typed, event, surplus] = positionals;
  if (surplus !== undefined) throw new Error(`invoke does not take "${surplus}".`);
  if (help || typed === undefined) return { printed: HELP, isFault: false };
  return run(functionNamed(typed), event ?? typed, given);
}

async function run(name: FunctionName, typed: string, values: EventValues): Promise<Outcome> {
  const { event, isFixture } = await chosen(typed);
  assertFits(typed, event, values);
  const { api_key: key, demo_site: site, specs } = await runningStack();
  const spec = specs[name];
  if (!spec) throw new Error(`The running stack has no function "${name}". Start it again.`);
  const payload = JSON.stringify(filled(event, { ...(isFixture && { key, url: `${site}/` }), ...values }));
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-invoke-'));
  const { [name]: taskRoot } = await bundleFunctions(folder.path, [name]);
  await using running = new AsyncDisposableStack();
  const lambda = runFunction({
    spec: { ...spec, taskRoot, handler: bufferedHandler(name) },
    reservedConcurrency: 1,
    maxEnvironments: 1,
    temporary: join(folder.path, 'tmp'),
    log: (line) => console.error(line),
  });
  running.defer(() => lambda.stop());
  const answer = await lambda.invoke(payload);
  const body = (await buffer(answer.body)).toString();
  const fault = await answer.fault;
  return { printed: JSON.stringify(fault ?? JSON.parse(body), null, 2), isFault: fault !== undefined };
}

/** An event of test/fixtures/events, by its name or path, or another file. */
async function chosen(typed: string): Promise<{ event: unknown; isFixture: boolean }> {
  if (typed === '-') return { event: parsed(await text(process.stdin), 'Standard input'), isFixture: false };
  const name = eventNamed(typed) ?? eventNames.find((each) => pathOf(each) === resolve(typed));
  if (name !== undefined) return { event: await readEvent(name), isFixture: true };
  const content = await readFile(typed, 'utf8').catch((cause: unknown) => {
    const meant = didYouMean(typed, eventNames) || ' "npm run -s invoke" lists the events.';
    throw new Error(`There is no event "${typed}" as a file or in test/fixtures/events.${meant}`, {
      cause,
    });
  });
  return { event: parsed(content, typed), isFixture: false };
}

function parsed(content: string, from: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new Error(`${from} is not JSON: ${(cause as Error).message}`, { cause });
  }
}
