import type { Json } from '../../contract/json-schema.ts';
import type { Route } from '../route.ts';
import { errorResponses } from './errors.ts';

/** `paths`: the operations of each path, by their method. */
export function pathsOf(routes: readonly Route[]): Record<string, Json> {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return paths;
}

function operation(route: Route): Json {
  const { tag, summary, description, operationId, auth, body, isBodyOptional, parameters, responses } = route;
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(auth === 'none' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: !isBodyOptional, content: body } } : {}),
    responses: { ...responses, ...errorResponses(route) },
  };
}
