import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Client } from '../test/support/client.ts';

/** An organization, and where its calls and its pages are. */
export type Party = {
  client: Client;
  key: string;
  baseUrl: string;
  demoSite: string;
  /** Requests a page of the dashboard as a member of an organization of its own. */
  page: (path: string) => Promise<Response>;
};

/** What one organization does at its worst, and what another one does meanwhile. */
export type Row = {
  name: string;
  /** It works rather than waits: two cores and one emulator of DynamoDB then do the work of both. */
  isWork?: true;
  /** Made before anything is measured. The result is passed on. */
  prepare?: (busy: Party) => Promise<string>;
  /** Goes on until the signal aborts. */
  worst: (busy: Party, prepared: string, signal: AbortSignal) => Promise<unknown>;
  /** One call of the other organization. */
  probe: (calm: Party) => Promise<unknown>;
};

const JOBS = '/api/v1/scraper/jobs';
const BATCHES = '/api/v1/scraper/batches';
const NOBODYS = '00000000-0000-7000-8000-000000000000';
const READERS = 120;
/** The longest URLs that make a job with its view long. */
const LONG = 'q'.repeat(7_900);

const lookAtJob = ({ client }: Party) => whole(client.get(`${JOBS}/${NOBODYS}`));
const lookAtBatch = ({ client }: Party) => whole(client.get(`${BATCHES}/${NOBODYS}`));
const showAccount = ({ client }: Party) => whole(client.get('/api/v1/account'));
const scrape = ({ client, demoSite }: Party) => whole(client.scrape({ url: demoSite }));

export const rows: readonly Row[] = [
  {
    name: 'submits that wait for a page that hangs',
    worst: ({ client, demoSite }, _, signal) =>
      repeated(60, signal, () =>
        whole(
          client.post(JOBS, { url: `${demoSite}/slow?ms=100000`, timeout: 120_000 }, { Prefer: 'wait=60' }),
        ),
      ),
    probe: lookAtJob,
  },
  {
    name: 'slow readers of lists with long URLs',
    prepare: longBatch,
    worst: (busy, _, signal) => slowReaders(busy, `${JOBS}?limit=100`, signal),
    probe: lookAtJob,
  },
  {
    name: 'slow readers of a large result',
    prepare: async ({ client, demoSite }) => {
      const id = await client.submit({ url: `${demoSite}/big?mb=20` });
      while ((await client.job(id)).status !== 'completed') await setTimeout(200);
      return `${JOBS}/${id}/result`;
    },
    worst: slowReaders,
    probe: lookAtJob,
  },
  {
    name: "slow readers of a batch's results",
    prepare: longBatch,
    worst: slowReaders,
    probe: lookAtBatch,
  },
  {
    name: 'slow readers of large pages',
    prepare: ({ demoSite }) =>
      Promise.resolve(`/api/v1/scraper?url=${encodeURIComponent(`${demoSite}/big?mb=20`)}`),
    worst: slowReaders,
    probe: scrape,
  },
  {
    name: 'slow readers of activity with long URLs',
    prepare: longBatch,
    worst: (busy, _, signal) => slowReaders(busy, '/api/v1/account/activity?limit=100', signal),
    probe: showAccount,
  },
  {
    name: 'slow readers of the documentation',
    worst: (busy, _, signal) => slowReaders(busy, '/openapi.json', signal),
    probe: showAccount,
  },
  {
    name: 'pages of the dashboard',
    isWork: true,
    worst: ({ page }, _, signal) => repeated(60, signal, () => page('/activity')),
    probe: ({ page }) => page('/usage'),
  },
  {
    name: 'filters that match nothing',
    isWork: true,
    prepare: longBatch,
    worst: ({ client }, _, signal) => repeated(60, signal, () => whole(client.get(`${JOBS}?tag=none`))),
    probe: lookAtJob,
  },
  {
    name: 'batches of 1,000 that are cancelled',
    isWork: true,
    worst: ({ client, demoSite }, _, signal) =>
      repeated(10, signal, async () => {
        const requests = Array.from({ length: 1_000 }, (_none, n) => ({ url: `${demoSite}/slow?ms=${n}` }));
        const answer = await client.post(BATCHES, { requests });
        const { batch_id: id } = (await answer.json()) as { batch_id?: string };
        if (id !== undefined) await whole(client.post(`${BATCHES}/${id}/cancel`, ''));
        return answer;
      }),
    probe: lookAtBatch,
  },
  {
    name: 'activity that is filtered',
    isWork: true,
    worst: ({ client }, _, signal) =>
      repeated(60, signal, () => whole(client.get('/api/v1/account/activity?host=nobody.example'))),
    probe: showAccount,
  },
];

/** Two hundred jobs with long URLs. Returns the path of their results. */
async function longBatch({ client, demoSite }: Party): Promise<string> {
  const requests = Array.from({ length: 200 }, (_, n) => ({ url: `${demoSite}/missing/${n}/${LONG}` }));
  const answer = await client.post(BATCHES, { requests });
  const { batch_id: id } = (await answer.json()) as { batch_id: string };
  const status = async () =>
    ((await (await client.get(`${BATCHES}/${id}`)).json()) as { status: string }).status;
  while ((await status()) === 'running') await setTimeout(500);
  return `${BATCHES}/${id}/results`;
}

/** So many callers, each with its next call after its last one. A refused one waits as long as it should. */
async function repeated(callers: number, signal: AbortSignal, call: () => Promise<Response>): Promise<void> {
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (!signal.aborted) {
        const answer = await call().catch(() => undefined);
        const seconds = Number(answer?.headers.get('Retry-After') ?? 0);
        if (answer?.status === 429)
          await setTimeout(seconds * 1_000, undefined, { signal }).catch(() => undefined);
      }
    }),
  );
}

/** Connections that request a path and read nothing, again once they are cut off. */
async function slowReaders({ baseUrl, key }: Party, path: string, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  const head = [
    `GET ${path} HTTP/1.1`,
    'Host: bench',
    `Authorization: Bearer ${key}`,
    'Accept-Encoding: identity',
    'Connection: close',
  ];
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      while (!signal.aborted) {
        const socket = connect(Number(port), hostname)
          .on('error', () => undefined)
          .pause();
        const stop = () => socket.destroy();
        signal.addEventListener('abort', stop);
        socket.write(`${head.join('\r\n')}\r\n\r\n`);
        await once(socket, 'close');
        signal.removeEventListener('abort', stop);
        await setTimeout(1_000, undefined, { signal }).catch(() => undefined);
      }
    }),
  );
}

/** Reads a response to its end. */
async function whole(asked: Promise<Response>): Promise<Response> {
  const answer = await asked;
  await answer.arrayBuffer();
  return answer;
}
