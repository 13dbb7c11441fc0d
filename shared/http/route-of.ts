import { AppError } from '../errors.ts';
import { type AnyRoute, routes } from '../api/routes.ts';
import type { Call } from './call.ts';

/** The route of a call. Throws `not_found`, or `method_not_allowed` with the allowed methods. */
export function routeOf({ method, path }: Pick<Call, 'method' | 'path'>): AnyRoute {
  const here = routes.filter((route) => route.path === path);
  const route = here.find((candidate) => candidate.method === method);
  if (route !== undefined) return route;
  if (here.length === 0) throw new AppError('not_found');
  throw new AppError('method_not_allowed', {
    headers: { Allow: here.map((each) => each.method).join(', ') },
  });
}
