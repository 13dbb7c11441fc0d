import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

const WRITE = /\.(?:Put|Update|Delete)Item$/;

/** Counts the writes to the emulator of DynamoDB, which is in this process. Returns how many there were. */
export function countWrites(): () => number {
  let writes = 0;
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    if (WRITE.test(String(request.headers['x-amz-target']))) writes += 1;
  });
  return () => writes;
}
