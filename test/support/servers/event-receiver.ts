import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { type Place, targetServer } from './target-server.ts';

export type ReceivedEvent = { id: string; type: string; data: Record<string, unknown> };

/** A receiver on this machine that verifies what it gets with the independent library. */
export async function eventReceiver(secretOf: () => string, place?: Place) {
  const events: ReceivedEvent[] = [];
  const refused: string[] = [];
  let status = 204;
  const server = await targetServer((request, response) => {
    void text(request).then((body) => {
      const headers = request.headers as Record<string, string>;
      try {
        const { type, data } = new Webhook(secretOf()).verify(body, headers) as Omit<ReceivedEvent, 'id'>;
        if (status < 300) events.push({ id: headers['webhook-id'] ?? '', type, data });
      } catch (error) {
        refused.push(String(error));
      }
      response.writeHead(status).end();
    });
  }, place);
  return {
    url: `${server.origin}/in`,
    host: server.host,
    events,
    /** Why events could not be verified. */
    refused,
    respondWith: (next: number) => void (status = next),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export type EventReceiver = Awaited<ReturnType<typeof eventReceiver>>;
