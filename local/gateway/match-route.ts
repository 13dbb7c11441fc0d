import type { Route } from '../template/blueprint.ts';

export type RouteMatch = { route: Route; pathParameters: Record<string, string> };

/**
 * Chooses a route as API Gateway does: literals before parameters, parameters before greedy ones, a method
 * before ANY. Throws URIError on a path that cannot be decoded.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-method-settings-method-request.html
 */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch | undefined {
  const parts = path.split('/').slice(1);
  const [best] = routes
    .filter((route) => route.method === 'ANY' || route.method === method)
    .flatMap((route) => {
      const pathParameters = matchPath(route.path.split('/').slice(1), parts);
      return pathParameters ? [{ route, pathParameters, rank: rankOf(route) }] : [];
    })
    .sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return best;
}

function matchPath(template: string[], parts: string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, expected] of template.entries()) {
    const [, name, greedy] = /^\{(\w+)(\+?)\}$/.exec(expected) ?? [];
    const part = parts[index];
    // Only a greedy parameter takes empty segments, and not a path of nothing else.
    const isEmpty = greedy ? parts.slice(index).every((each) => each === '') : part === '';
    if (part === undefined || (name !== undefined && isEmpty)) return undefined;
    if (name === undefined && part !== expected) return undefined;
    if (name === undefined) continue;
    parameters[name] = decodeURIComponent(greedy ? parts.slice(index).join('/') : part);
    if (greedy) return parameters;
  }
  return template.length === parts.length ? parameters : undefined;
}

/** Sorts as text: literal parts first, then parameters, then greedy ones, ANY last. */
function rankOf({ path, method }: Route): string {
  const parts = path.split('/').map((part) => (part.endsWith('+}') ? '2' : part.startsWith('{') ? '1' : '0'));
  return `${parts.join('')} ${method === 'ANY' ? '1' : '0'}`;
}
