import { parseArgs } from 'node:util';
import { z } from 'zod';
import { withoutKeys } from '../../shared/observe/redacted.ts';
import { didYouMean } from '../did-you-mean.ts';
import { explainFault } from '../explain-fault.ts';
import { readStackFile } from '../running-stack.ts';
import {
  assertFits,
  eventNamed,
  eventNames,
  filled,
  readEvent,
  valueOptions,
  VALUES_HELP,
} from './events.ts';

const HELP = `Usage: npm run -s sam:event -- EVENT [OPTIONS]

Prints an event of test/fixtures/events, with values of your own. EVENT is its name, or a function.

${VALUES_HELP}
  --local       the key and the demo page of npm start

Events: ${eventNames.join(', ')}`;

const Access = z.object({
  api_key: z.string(),
  demo_site: z.url(),
  emulators_host: z.string().default('127.0.0.1'),
});

const options = {
  ...valueOptions,
  local: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

try {
  console.log(await printed(process.argv.slice(2)));
} catch (error) {
  console.error(withoutKeys(explainFault(error)));
  process.exitCode = 1;
}

async function printed(args: string[]): Promise<string> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const { local, help, ...given } = values;
  const [typed, surplus] = positionals;
  if (help || typed === undefined) return HELP;
  if (surplus !== undefined) throw new Error(`sam:event does not take "${surplus}".`);
  const name = eventNamed(typed);
  if (name === undefined)
    throw new Error(
      `There is no event "${typed}".${didYouMean(typed, eventNames) || ` Name one of: ${eventNames.join(', ')}.`}`,
    );
  const event = await readEvent(name);
  assertFits(name, event, given);
  return JSON.stringify(filled(event, { ...(local && (await localValues())), ...given }), null, 2);
}

async function localValues() {
  const { api_key: key, demo_site: site, emulators_host: host } = await readStackFile(Access);
  return { key, url: `${site.replace('127.0.0.1', host)}/` };
}
