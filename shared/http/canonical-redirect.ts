import { routes } from '../api/routes.ts';
import type { Call } from './call.ts';
import type { Reply } from './reply.ts';

const READING: readonly string[] = ['GET', 'HEAD'];

/** The redirect for a path that differs from a route only in its slashes. The root leads to the docs. */
export function canonicalRedirect({ method, sentPath, mount, query }: Call): Reply | undefined {
  const path = sentPath.slice(mount.length);
  const tidy = `/${path.split('/').filter(Boolean).join('/')}`;
  const isReading = READING.includes(method);
  if (tidy === '/') return isReading ? redirect(302, `${mount}/docs`) : undefined;
  if (tidy === path || !routes.some((route) => matches(route.path, tidy))) return undefined;
  // 308 keeps method and body: https://www.rfc-editor.org/rfc/rfc9110#section-15.4.9
  return redirect(isReading ? 301 : 308, mount + tidy + queryText(query));
}

function matches(route: string, path: string): boolean {
  const [expected, actual] = [route.split('/'), path.split('/')];
  return (
    expected.length === actual.length &&
    expected.every((part, index) => part.startsWith('{') || part === actual[index])
  );
}

function queryText(query: Call['query']): string {
  const pairs = Object.entries(query).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return pairs.length > 0 ? `?${new URLSearchParams(pairs).toString()}` : '';
}

function redirect(status: number, location: string): Reply {
  return { status, headers: { Location: location }, body: '' };
}
