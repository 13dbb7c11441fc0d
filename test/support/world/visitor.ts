import { dashboardFunction } from '../../../functions/dashboard/serve.ts';
import { pageRoutes } from '../../../shared/api/page-routes.ts';
import type { SignUpPolicy } from '../../../shared/domain/people/sign-up-policy.ts';
import type { Identities } from '../../../shared/ports/people.ts';
import { submitOver } from './api.ts';
import { API_URL, inMemoryWorld, type World } from './in-memory-world.ts';
import { keptLog } from './kept-log.ts';

export const PASSWORD = 'correct horse battery';
const HOST = 'account.example.com';

export type Shown = {
  status: number;
  /** The path of the redirect, without the mount. */
  location: string | undefined;
  headers: Readonly<Record<string, string>>;
  cookies: readonly string[];
  html: string;
  /** The visible text of the page. */
  text: string;
};

type More = { headers?: Record<string, string>; address?: string };

type Options = {
  policy?: SignUpPolicy;
  mount?: string;
  host?: string;
  /** How long the identities take for an address, in milliseconds. */
  takes?: (email: string) => number;
};

/** The dashboard over a world in memory, and its visitors, each with their own browser. */
export function newDashboard(options: Options = {}) {
  const { policy: signUpPolicy = 'open', mount = '/prod', host = HOST } = options;
  const dashboardUrl = `https://${HOST}${mount}`;
  const world = inMemoryWorld();
  const { log, lines } = keptLog();
  const handler = dashboardFunction(
    {
      ...world,
      identities: identitiesOf(world, options),
      apiUrl: API_URL,
      dashboardUrl,
      signUpPolicy,
      webhookUrls: { allow: [], refuse: ['api.example.com'] },
      submit: submitOver(world),
    },
    log,
  );
  let visitors = 0;

  function newVisitor(jar = new Map<string, string>()) {
    visitors += 1;
    const ownAddress = `203.0.113.${visitors}`;

    async function send(
      method: string,
      target: string,
      body: string | null,
      more: More = {},
    ): Promise<Shown> {
      const [path = '/', query = ''] = target.split('?');
      const resource = pageRoutes.find((route) => matches(route.path, path))?.path ?? '/{proxy+}';
      const [, parameter = 'proxy'] = /\{(\w+)\+?\}/.exec(resource) ?? [];
      const sent = new URLSearchParams(query);
      const {
        statusCode,
        headers,
        multiValueHeaders,
        body: html,
      } = await handler({
        httpMethod: method,
        resource,
        path,
        pathParameters: { [parameter]: path.split('/').at(-1) ?? '' },
        multiValueQueryStringParameters: Object.fromEntries(
          [...sent.keys()].map((name) => [name, sent.getAll(name)]),
        ),
        headers: { Host: host, Cookie: [...jar].map((pair) => pair.join('=')).join('; '), ...more.headers },
        requestContext: { path: mount + path, identity: { sourceIp: more.address ?? ownAddress } } as never,
        body,
      });
      const cookies = (multiValueHeaders?.['Set-Cookie'] ?? []).map(String);
      for (const cookie of cookies) keep(jar, cookie);
      const text = html
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim();
      const named = headers as Record<string, string>;
      return {
        status: statusCode,
        location: named.Location?.slice(mount.length),
        headers: named,
        cookies,
        html,
        text,
      };
    }

    const scheme = host.startsWith('localhost') ? 'http' : 'https';
    const own = { Origin: `${scheme}://${host}`, 'Sec-Fetch-Site': 'same-origin' };
    const visitor = {
      jar,
      get: (path: string) => send('GET', path, null),
      head: (path: string) => send('HEAD', path, null),
      /** Sends a form as a browser does; `headers` replace its own about the origin. */
      submit: (path: string, fields: Record<string, string> = {}, more: More = {}) =>
        send('POST', path, new URLSearchParams(fields).toString(), { headers: own, ...more }),
      /** Another browser with the same cookies, as of now. */
      copy: () => newVisitor(new Map(jar)),
      signIn: (email: string, password = PASSWORD) => visitor.submit('/sign-in', { email, password }),
      /** Signs up and confirms. The last page shows the first key. */
      async join(email: string, password = PASSWORD): Promise<Shown> {
        await visitor.submit('/sign-up', { email, password });
        return visitor.submit('/confirm', { code: codeOf(email) });
      },
      /** Creates a key. Returns undefined if the page shows none. */
      async newKey(name: string): Promise<string | undefined> {
        const once = hidden((await visitor.get('/keys')).html, 'once');
        return keyIn((await visitor.submit('/keys', { name, once })).html);
      },
    };
    return visitor;
  }

  /** The last code mailed to an address. */
  const codeOf = (email: string) => world.identities.mails.findLast(({ to }) => to === email)?.code ?? 'none';
  return { world, lines, newVisitor, codeOf };
}

function identitiesOf({ identities, pass }: World, { takes = () => 0 }: Options): Identities {
  const timed =
    <A extends [string, ...string[]], R>(work: (...sent: A) => R) =>
    (...sent: A): R => {
      pass(takes(sent[0]));
      return work(...sent);
    };
  const { signUp, signIn, forgot, reset } = identities;
  return {
    ...identities,
    ...{ signUp: timed(signUp), signIn: timed(signIn), forgot: timed(forgot), reset: timed(reset) },
  };
}

const matches = (route: string, path: string) =>
  new RegExp(`^${route.replace('.', '[.]').replace(/\{\w+\}/, '[^/]+')}$`).test(path);

export const keyIn = (html: string) => /sf_live_\w{12}_\w{38}/.exec(html)?.[0];

/** The value of a hidden field. */
export const hidden = (html: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';

function keep(jar: Map<string, string>, cookie: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
  if (value === '') jar.delete(name);
  else jar.set(name, value);
}
