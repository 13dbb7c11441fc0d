import { type ResponseHeaders, responseHeaders } from '../../../shared/contract/scrape/response-headers.ts';
import type { Pause } from './network.ts';

type Head = { status: number; url: string; headers: ResponseHeaders };

export function headOf({
  request,
  responseStatusCode: status = 200,
  responseHeaders: all = [],
}: Pause): Head {
  const headers = responseHeaders(all.map(({ name, value }) => [name, value] as const));
  return { status, url: request.url, headers };
}
