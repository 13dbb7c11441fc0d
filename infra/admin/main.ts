import { parseArgs } from 'node:util';
import { Plan } from '../../shared/contract/account.ts';
import {
  createKey,
  createOrganization,
  listKeys,
  revokeKey,
  setStatus,
  showOrganization,
} from './commands.ts';
import { connect } from './connect.ts';

const USAGE = `Usage: npm run -s admin -- [--local | --stage NAME] COMMAND

  org create --name N [--plan free|starter|business] [--credits C] [--rpm R] [--reads R] [--concurrency K] [--test]
  org show ORG_ID
  org suspend ORG_ID
  org resume ORG_ID
  key create ORG_ID [--name N] [--expires 2030-01-31] [--test]
  key list ORG_ID
  key revoke KEY_ID
`;

const options = {
  local: { type: 'boolean', default: false },
  stage: { type: 'string', default: 'dev' },
  test: { type: 'boolean', default: false },
  name: { type: 'string' },
  plan: { type: 'string', default: 'free' },
  credits: { type: 'string' },
  rpm: { type: 'string' },
  reads: { type: 'string' },
  concurrency: { type: 'string' },
  expires: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Args = ReturnType<typeof parse>;
type Connection = Awaited<ReturnType<typeof connect>>;

const commands: Readonly<Record<string, (fx: Connection, args: Args) => Promise<object>>> = {
  'org create': (fx, { values }) =>
    createOrganization(fx, {
      name: required(values.name, '--name'),
      plan: Plan.parse(values.plan),
      overrides: {
        credits: count(values.credits, '--credits', 0),
        rpm: count(values.rpm, '--rpm', 1),
        readsPerMinute: count(values.reads, '--reads', 1),
        concurrency: count(values.concurrency, '--concurrency', 1),
      },
      mode: values.test ? 'test' : 'live',
    }),
  'org show': (fx, args) => showOrganization(fx, id(args, 'ORG_ID')),
  'org suspend': (fx, args) => setStatus(fx, id(args, 'ORG_ID'), 'suspended'),
  'org resume': (fx, args) => setStatus(fx, id(args, 'ORG_ID'), 'active'),
  'key create': (fx, args) =>
    createKey(fx, {
      orgId: id(args, 'ORG_ID'),
      name: args.values.name ?? 'unnamed',
      mode: args.values.test ? 'test' : 'live',
      expiresAt: date(args.values.expires),
    }),
  'key list': (fx, args) => listKeys(fx, id(args, 'ORG_ID')),
  'key revoke': (fx, args) => revokeKey(fx, id(args, 'KEY_ID')),
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
  const command = commands[name];
  if (command === undefined) throw new Error(`Unknown command "${name}".\n\n${USAGE}`);
  console.log(JSON.stringify(await command(await connect(args.values), args)));
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
