import { AppError } from '../errors.ts';

/** The route of a call. Throws `not_found`, or `method_not_allowed` with the allowed methods. */
export function routeOf<R extends { method: string; path: string }>(
  routes: readonly R[],
  { method, path }: { method: string; path: string },
): R {
  const here = routes.filter((route) => route.path === path);
  const route = here.find((each) => each.method === method);
  if (route !== undefined) return route;
  if (here.length === 0) throw new AppError('not_found');
  throw new AppError('method_not_allowed', {
    headers: { Allow: here.map((each) => each.method).join(', ') },
  });
}
