import type { RequestListener } from 'node:http';
import { type Place, targetServer } from './target-server.ts';

export type Respond = (...parameters: Parameters<RequestListener>) => void;

/** A site that serves HTML or runs a function for each path. Records its requests. */
export async function renderSite(routes: Readonly<Record<string, string | Respond>>, place?: Place) {
  const asked: string[] = [];
  const server = await targetServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const route = routes[path] ?? routes[path.split('?')[0] ?? ''];
    if (route === undefined) response.writeHead(404, { 'Content-Type': 'text/plain' }).end('nothing');
    else if (typeof route === 'string') html(response, route);
    else route(request, response);
  }, place);
  return { ...server, asked };
}

export function html(response: Parameters<RequestListener>[1], body: string, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end(`<!DOCTYPE html>${body}`);
}
