import { z } from 'zod';
import { environments, parsed, type Variables } from './config.ts';
import { parseApiKey } from './domain/accounts/api-key.ts';
import { typedTarget } from './domain/scrape/target/typed-target.ts';

const localEnvironment = z.object({
  LOCAL_DIR: z.string().min(1).default('.local'),
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
});

const PORT_RULE = 'expected a port, a whole number from 0 to 65535';
const port = z.coerce.number(PORT_RULE).int(PORT_RULE).min(0, PORT_RULE).max(65_535, PORT_RULE);

const settings = environments.model.shape;

const startEnvironment = localEnvironment.extend({
  PORT: port.default(3_000),
  /** By which callers reach the API, if not by its own address. */
  API_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  /** By default the port after PORT. */
  DASHBOARD_PORT: port.optional(),
  // An address only: some shells export their machine's name as HOST, which must not open the service to a
  // network.
  HOST: z
    .union([z.literal('localhost'), z.ipv4(), z.ipv6()], 'expected an IP address, such as 0.0.0.0')
    .default('127.0.0.1'),
  /** A second address of the emulators, which have no passwords: Docker's bridge. */
  EMULATORS_HOST: z
    .ipv4('expected an IPv4 address, such as 172.17.0.1')
    .refine((address) => address !== '0.0.0.0', 'would open the emulators, which have no passwords, to all')
    .optional(),
  EGRESS_ALLOW: z
    .string()
    .default('')
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .pipe(z.array(typedTarget)),
  API_KEY: z
    .string()
    .refine((text) => parseApiKey(text) !== undefined, 'expected a key that npm start has printed before')
    .optional(),
  PREMIUM_PROXY_URL: z
    .string()
    .regex(/^(https?|socks5):\/\/[^\s/]+\/?$/, 'expected http://user:pass@host:port, or https or socks5')
    .optional(),
  MODEL_URL: settings.MODEL_URL,
  MODEL_NAME: settings.MODEL_NAME,
  MODEL_KEY: settings.MODEL_KEY,
  MODEL_STRUCTURED: settings.MODEL_STRUCTURED,
});

/** The variables that `npm start` reads. */
export const startVariables: readonly string[] = Object.keys(startEnvironment.shape);

/** Where the local stack keeps its files, for every program that works with it. */
export function readLocalEnv(variables?: Variables) {
  const { LOCAL_DIR, PATH } = parsed('the local stack', localEnvironment, variables);
  return { localDir: LOCAL_DIR, path: PATH };
}

export function readStartEnv(variables?: Variables) {
  const env = parsed('npm start', startEnvironment, variables);
  return {
    port: env.PORT,
    dashboardPort: env.DASHBOARD_PORT ?? (env.PORT === 0 ? 0 : env.PORT + 1),
    host: env.HOST,
    emulatorsHost: env.EMULATORS_HOST,
    apiUrl: env.API_URL,
    egressAllow: env.EGRESS_ALLOW,
    localDir: env.LOCAL_DIR,
    apiKey: env.API_KEY,
    premiumProxyUrl: env.PREMIUM_PROXY_URL,
    model: modelOf(env),
    path: env.PATH,
  };
}

/** Off unless there is an endpoint. */
function modelOf({ MODEL_URL, MODEL_NAME, MODEL_KEY, MODEL_STRUCTURED }: z.output<typeof startEnvironment>) {
  return MODEL_URL === undefined ? undefined : { MODEL_URL, MODEL_NAME, MODEL_KEY, MODEL_STRUCTURED };
}
