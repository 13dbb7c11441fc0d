import { documentedRoutes } from '../../shared/api/routes.ts';
import type { Route } from '../../shared/api/route.ts';

/** The operations that callers use. The rest is this documentation itself. */
export const operations: readonly Route[] = documentedRoutes.filter(
  ({ path }: Route) => path !== '/' && !/^\/(docs|llms\.txt)\b/.test(path),
);

export const operationTags = [...new Set(operations.map(({ tag }) => tag))];
