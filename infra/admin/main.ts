import { parseArgs } from 'node:util';
import { Plan } from '../../shared/contract/account.ts';
import { createKey, listKeys, revokeKey } from '../../shared/use-cases/manage-keys.ts';
import {
  createOrganization,
  listOrganizations,
  setStatus,
  showOrganization,
  updateOrganization,
} from '../../shared/use-cases/manage-organizations.ts';
import { connect } from './connect.ts';

const USAGE = `Usage: npm run -s admin -- [--local | --stage NAME] COMMAND

  org create --name N [LIMITS] [--test]
  org list
  org show ORG_ID
  org update ORG_ID [--name N] [LIMITS]
  org suspend ORG_ID
  org resume ORG_ID
  key create ORG_ID [--name N] [--expires 2030-01-31] [--test]
  key list ORG_ID
  key revoke KEY_ID

LIMITS: [--plan free|starter|business] [--credits C] [--rpm R] [--reads-per-minute R] [--concurrency K]
What is given by itself goes before the plan. An update of credits counts from the next month on.`;

const options = {
  local: { type: 'boolean', default: false },
  stage: { type: 'string', default: 'dev' },
  test: { type: 'boolean', default: false },
  name: { type: 'string' },
  plan: { type: 'string' },
  credits: { type: 'string' },
  rpm: { type: 'string' },
  'reads-per-minute': { type: 'string' },
  concurrency: { type: 'string' },
  expires: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Args = ReturnType<typeof parse>;
type Connection = Awaited<ReturnType<typeof connect>>;
/** Reads its arguments, so that one that is wrong is told of before anything is connected to. */
type Command = (args: Args) => (fx: Connection) => Promise<object>;

const commands: Readonly<Record<string, Command>> = {
  'org create': command(
    ({ values }) => [
      {
        name: required(values.name, '--name'),
        plan: plan(values.plan) ?? 'free',
        overrides: limits(values),
        mode: mode(values),
      },
    ],
    createOrganization,
  ),
  'org list': command(() => [], listOrganizations),
  'org show': command((args) => [id(args, 'ORG_ID')], showOrganization),
  'org update': command((args) => {
    const { name, ...values } = args.values;
    const change = { plan: plan(values.plan), overrides: limits(values) };
    return [
      id(args, 'ORG_ID'),
      { ...change, name: name === undefined ? undefined : required(name, '--name') },
    ];
  }, updateOrganization),
  'org suspend': command((args) => [id(args, 'ORG_ID'), 'suspended' as const], setStatus),
  'org resume': command((args) => [id(args, 'ORG_ID'), 'active' as const], setStatus),
  'key create': command((args) => {
    const { name = 'unnamed', expires } = args.values;
    return [{ orgId: id(args, 'ORG_ID'), name, mode: mode(args.values), expiresAt: date(expires) }];
  }, createKey),
  'key list': command((args) => [id(args, 'ORG_ID')], listKeys),
  'key revoke': command((args) => [id(args, 'KEY_ID')], revokeKey),
};

try {
  const args = parse();
  if (args.values.help) console.log(USAGE);
  else await run(args);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function run(args: Args): Promise<void> {
  const name = args.positionals.slice(0, 2).join(' ');
  const read = commands[name];
  if (read === undefined) throw new Error(`Unknown command "${name}".\n\n${USAGE}`);
  const execute = read(args);
  if (!args.values.local) await assertStage(args.values.stage);
  console.log(JSON.stringify(await execute(await connect(args.values))));
}

function command<P extends unknown[]>(
  read: (args: Args) => [...P],
  execute: (fx: Connection, ...read: P) => Promise<object>,
): Command {
  return (args) => {
    const parameters = read(args);
    return (fx) => execute(fx, ...parameters);
  };
}

function parse() {
  return parseArgs({ options, allowPositionals: true });
}

function id({ positionals }: Args, what: string): string {
  return required(positionals[2], what);
}

function required(value: string | undefined, what: string): string {
  if (value === undefined || value.trim() === '') throw new Error(`${what} is required.\n\n${USAGE}`);
  return value;
}

async function assertStage(stage: string): Promise<void> {
  // Only here, as it takes the CDK with it.
  const { isStageName, stages } = await import('../stages.ts');
  if (isStageName(stage)) return;
  throw new Error(`--stage must be ${oneOf(Object.keys(stages))}, not "${stage}".`);
}

function plan(text: string | undefined): Plan | undefined {
  const { success, data } = Plan.optional().safeParse(text);
  if (success) return data;
  throw new Error(`--plan must be ${oneOf(Plan.options)}, not "${text}".`);
}

function mode({ test }: Args['values']): 'live' | 'test' {
  return test ? 'test' : 'live';
}

function limits(values: Args['values']) {
  return {
    credits: count(values.credits, '--credits', 0),
    rpm: count(values.rpm, '--rpm', 1),
    readsPerMinute: count(values['reads-per-minute'], '--reads-per-minute', 1),
    concurrency: count(values.concurrency, '--concurrency', 1),
  };
}

function count(text: string | undefined, option: string, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new Error(`${option} must be a whole number of at least ${least}, not "${text}".`);
}

function date(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const value = new Date(text);
  if (value.getTime() > Date.now()) return value;
  throw new Error(`--expires must be a date in the future, not "${text}".`);
}

function oneOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
