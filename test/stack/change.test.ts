import { expect, inject, test } from 'vitest';
import type { Change } from '../../shared/contract/scrape/change.ts';
import { targetServer } from '../support/servers/target-server.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';

const { client } = await sharedStack();
const BATCHES = '/api/v1/scraper/batches';

type Batch = { batch_id: string; status: string };
type Request = { url: string; format: string; change: object; render_js?: boolean };

async function ofJob(request: Request): Promise<Change> {
  const id = await client.submit(request);
  const { job } = await client.settled(id);
  expect(job).toEqual({ ...job, status: 'completed' });
  return (await (await client.result(id)).json()) as Change;
}

async function ofBatch(request: Request): Promise<Change> {
  const { batch_id: id } = (await (await client.post(BATCHES, { requests: [request] })).json()) as Batch;
  const status = async () => ((await (await client.get(`${BATCHES}/${id}`)).json()) as Batch).status;
  await expect.poll(status, { timeout: 60_000 }).toBe('completed');
  const [line] = await client.lines<{ body: string }>(`${BATCHES}/${id}/results?include=body`);
  expect(line).toMatchObject({ status: 'completed' });
  return JSON.parse(line?.body ?? '') as Change;
}

async function ofScrape(request: Request): Promise<Change> {
  const response = await client.scrape(request);
  const body = await response.text();
  expect(response.status, body).toBe(200);
  return JSON.parse(body) as Change;
}

const WAYS = {
  plain: ofScrape,
  rendered: (request: Request) => ofScrape({ ...request, render_js: true }),
  job: ofJob,
  batch: ofBatch,
};

test('a page is new, the same, changed and removed: in each way to request it', async () => {
  let [status, price] = [200, '20 EUR'];
  await using site = await targetServer(
    (_, response) => {
      const clock = `It is ${new Date().toISOString()}.`;
      response.writeHead(status, { 'Content-Type': 'text/html' });
      response.end(`<h1>Shoes</h1><p>${price}</p><p>In stock, sent within two days.</p><p>${clock}</p>`);
    },
    { port: inject('targetPort') },
  );
  const compare = async () => {
    const said = Object.entries(WAYS).map(async ([tag, way]) => {
      const { status: found, diff } = await way({
        url: site.origin,
        format: 'change',
        change: { tag, context: 0 },
      });
      return [tag, found, diff?.split('\n').find((line) => /^\+\d/.test(line))];
    });
    return Promise.all(said);
  };
  const all = (...said: unknown[]) => Object.keys(WAYS).map((tag) => [tag, ...said]);
  expect(await compare()).toEqual(all('new', undefined));
  expect(await compare()).toEqual(all('same', undefined));
  price = '18 EUR';
  expect(await compare()).toEqual(all('changed', '+18 EUR'));
  status = 404;
  expect(await compare()).toEqual(all('removed', undefined));
});
