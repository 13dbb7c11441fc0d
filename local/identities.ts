import { randomInt, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type * as Routes from 'cognito-local/lib/server/Router.js';
import type { Services } from 'cognito-local/lib/services/index.js';
import type * as Clock from 'cognito-local/lib/services/clock.js';
import type { Context } from 'cognito-local/lib/services/context.js';
import type * as Cognito from 'cognito-local/lib/services/cognitoService.js';
import type * as Stores from 'cognito-local/lib/services/dataStore/stormDb.js';
import type * as Tokens from 'cognito-local/lib/services/tokenGenerator.js';
import type * as Pools from 'cognito-local/lib/services/userPoolService.js';
import { CODE_MAIL } from '../shared/domain/people/code-mail.ts';
import { listen, type Listening } from './listen.ts';
import { writeWhole } from './write-whole.ts';

export type Mail = { to: string; subject: string; text: string };

type Options = {
  /** The folder of the accounts and their passwords. */
  folder: string;
  userPoolId: string;
  clientId: string;
  /** Called with each mail that would have been sent. */
  mailed: (mail: Mail) => Promise<void>;
};

/**
 * A Cognito of this machine with one user pool. It keeps passwords in clear and its signing key is public,
 * so it listens on loopback only. Its own start would read variables and the working folder.
 */
export async function startIdentities({ folder, userPoolId, clientId, mailed }: Options): Promise<Listening> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await keep(join(folder, `${userPoolId}.json`), { Users: {}, Options: { Id: userPoolId, ...BY_EMAIL } });
  await keep(join(folder, 'clients.json'), { Clients: { [clientId]: clientOf(clientId, userPoolId) } });
  const services = await servicesOn(folder, mailed);
  const route = part<typeof Routes>('server/Router').Router(services);
  const server = createServer((request, response) => {
    const [, target = ''] = String(request.headers['x-amz-target']).split('.');
    const run = target === 'ResendConfirmationCode' ? resend(services, userPoolId) : route(target);
    answerTo(json(request).then((asked) => run(CONTEXT, asked as never))).then(
      ({ status, body }) => response.writeHead(status, { 'Content-Type': AMZ_JSON }).end(body),
      () => response.destroy(),
    );
  });
  return listen(server);
}

const AMZ_JSON = 'application/x-amz-json-1.1';

/** Errors of the emulator have a code, under which the SDK throws them. */
async function answerTo(result: Promise<unknown>): Promise<{ status: number; body: string }> {
  try {
    return { status: 200, body: JSON.stringify(await result, seconds) };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return { status: code === undefined ? 500 : 400, body: JSON.stringify({ __type: code, message }) };
  }
}

/** Cognito's JSON has times as unix seconds. */
function seconds(this: unknown, key: string, value: unknown): unknown {
  const original = (this as Record<string, unknown>)[key];
  return original instanceof Date ? Math.floor(+original / 1_000) : value;
}

/** The emulator's own types of these come from an SDK that nothing else needs and npm ci leaves out. */
type Person = { Attributes: readonly { Name: string; Value?: string }[] };

const BY_EMAIL = { UsernameAttributes: ['email'], AutoVerifiedAttributes: ['email'] };

const nothing = () => undefined;
const LOGGER = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => LOGGER };
const CONTEXT = { logger: LOGGER } as unknown as Context;

const require = createRequire(import.meta.url);
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- names the module's type
const part = <Module>(name: string) => require(`cognito-local/lib/${name}.js`) as Module;

type FileEngine = { prototype: { path: string; serialize: (data: unknown) => string; write: unknown } };

/** The emulator's database empties its file before each write, at a start too. */
function keepFilesWhole(): void {
  const { localFileEngine: engine } = createRequire(require.resolve('cognito-local/lib/server/Router.js'))(
    'stormdb',
  ) as { localFileEngine: FileEngine };
  engine.prototype.write = function (this: FileEngine['prototype'], data: unknown) {
    return writeWhole(this.path, this.serialize(data));
  };
}

async function servicesOn(folder: string, mailed: Options['mailed']): Promise<Services> {
  const { DateClock } = part<typeof Clock>('services/clock');
  const { StormDBDataStoreFactory } = part<typeof Stores>('services/dataStore/stormDb');
  const { UserPoolServiceFactoryImpl } = part<typeof Pools>('services/userPoolService');
  const { CognitoServiceFactoryImpl } = part<typeof Cognito>('services/cognitoService');
  const { JwtTokenGenerator } = part<typeof Tokens>('services/tokenGenerator');
  keepFilesWhole();
  const clock = new DateClock();
  const stores = new StormDBDataStoreFactory(folder);
  const pools = new UserPoolServiceFactoryImpl(clock, stores);
  const cognito = await new CognitoServiceFactoryImpl(folder, stores, pools).create(CONTEXT, BY_EMAIL);
  const triggers = { enabled: () => false } as unknown as Services['triggers'];
  return {
    clock,
    cognito,
    triggers,
    config: { UserPoolDefaults: BY_EMAIL } as unknown as Services['config'],
    otp: () => String(randomInt(1_000_000)).padStart(6, '0'),
    tokenGenerator: new JwtTokenGenerator(clock, triggers, { IssuerDomain: 'http://127.0.0.1' }),
    messages: {
      deliver: async (_context, _source, _client, _pool, { Attributes }: Person, code) => {
        const to = Attributes.find(({ Name }) => Name === 'email')?.Value ?? '';
        await mailed({ to, subject: CODE_MAIL.subject, text: CODE_MAIL.text(code) });
      },
    },
  };
}

/** https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_ResendConfirmationCode.html */
function resend({ cognito, messages, otp }: Services, poolId: string) {
  return async (context: Context, { ClientId, Username }: { ClientId: string; Username: string }) => {
    const pool = await cognito.getUserPool(context, poolId);
    const user = await pool.getUserByUsername(context, Username);
    if (user?.UserStatus !== 'UNCONFIRMED') return {};
    const code = otp();
    await pool.saveUser(context, { ...user, ConfirmationCode: code });
    const to = { AttributeName: 'email', DeliveryMedium: 'EMAIL', Destination: '' } as const;
    await messages.deliver(context, 'ResendCode', ClientId, poolId, user, code, undefined, to);
    return {};
  };
}

const clientOf = (ClientId: string, UserPoolId: string) => ({
  ClientId,
  UserPoolId,
  ClientName: ClientId,
  ClientSecret: randomUUID(),
  CreationDate: 0,
  LastModifiedDate: 0,
});

/** Writes a file that an earlier run has not left. */
async function keep(file: string, content: object): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere) await writeWhole(file, JSON.stringify(content));
}
