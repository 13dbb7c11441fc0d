import type { APIGatewayProxyEvent, SQSEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import {
  eventNames,
  eventsOf,
  filled,
  functionNames,
  PLACEHOLDERS,
  readEvent,
} from '../../infra/invoke/events.ts';
import { pageRoutes } from '../../shared/api/page-routes.ts';
import { routes } from '../../shared/api/routes.ts';
import {
  JobMessage,
  readJobMessage,
  readNotifierMessage,
  RenderRequest,
} from '../../shared/contract/scrape/messages.ts';
import { ModelRequest } from '../../shared/contract/scrape/model-messages.ts';
import { newService } from '../support/world/api.ts';
import { page } from '../support/world/pages.ts';

const events = await Promise.all(eventNames.map(async (name) => [name, await readEvent(name)] as const));
const functionOf = (event: string) => functionNames.find((name) => eventsOf(name).includes(event));
const http = events.filter(
  (each): each is [string, APIGatewayProxyEvent] => 'httpMethod' in (each[1] as object),
);
const sqs = events.filter((each): each is [string, SQSEvent] => 'Records' in (each[1] as object));

test('every function has an event', () => {
  for (const name of functionNames) expect([name, eventsOf(name)]).not.toEqual([name, []]);
  expect(eventNames.filter((name) => functionOf(name) === undefined)).toEqual([]);
});

test.each(http)('%s.json is a request that API Gateway would send to its function', (name, event) => {
  const { httpMethod: method, resource, path, requestContext, pathParameters } = event;
  const known = [...routes, ...pageRoutes.map((route) => ({ ...route, function: 'dashboard' as const }))];
  const route = known.find((each) => each.method === method && each.path === resource);
  expect(route?.function).toBe(functionOf(name));
  expect(path).toBe(resource.replace(/\{(\w+)\}/g, (_, key: string) => pathParameters?.[key] ?? ''));
  expect(requestContext).toMatchObject({ resourcePath: resource, path, httpMethod: method });
});

test.each([
  ['meta', 200],
  ['account', 200],
  ['scraper', 200],
  ['jobs-submit', 202],
  ['jobs-status', 404],
  ['jobs-result', 404],
  ['batches-submit', 202],
  ['batches-status', 404],
  ['batches-results', 404],
  ['webhooks', 200],
  ['mcp', 200],
  ['webhooks-create', 201],
])('%s.json with a key gets %i, and without one it is refused', async (name, status) => {
  const { service, world, key } = await newService();
  world.web[PLACEHOLDERS.url] = page('<h1>Hello</h1>');
  const answerTo = async (values: { key?: string }) => {
    const event = filled(await readEvent(name), values) as APIGatewayProxyEvent;
    const { path, httpMethod: method, headers, body } = event;
    return service.ask(path, { method, headers: headers as Record<string, string>, body: body ?? undefined });
  };
  expect((await answerTo({ key })).status).toBe(status);
  expect((await answerTo({})).status).toBe(name === 'meta' ? 200 : 401);
});

test.each(sqs)('%s.json has messages that its function understands', (name, { Records }) => {
  const read = functionOf(name) === 'notifier' ? readNotifierMessage : readJobMessage;
  for (const { body } of Records) expect(read(body)).toBeDefined();
});

test('the events of the worker cover every kind of message', () => {
  const kinds = JobMessage.options.map(({ shape }) => Object.keys(shape));
  const bodies = sqs
    .filter(([name]) => functionOf(name) === 'worker')
    .map(([, { Records }]) => Records[0]?.body);
  expect(bodies.map((body) => Object.keys(readJobMessage(body ?? '') ?? {})).sort()).toEqual(kinds.sort());
});

test('model.json is a page to read values from', async () => {
  expect(ModelRequest.safeParse(await readEvent('model')).success).toBe(true);
});

test('browser.json is a request to render', async () => {
  expect(RenderRequest.safeParse(await readEvent('browser')).success).toBe(true);
});

test('values take their places in an event, in its body too', async () => {
  const url = 'https://shop.example/?q="a$&b"';
  const event = filled(await readEvent('jobs-submit'), { url, key: 'KEY' }) as APIGatewayProxyEvent;
  expect(JSON.parse(event.body ?? '')).toEqual({ url });
  expect(event.headers['Authorization']).toBe('Bearer KEY');
  const { pathParameters, path } = filled(await readEvent('jobs-status'), {
    id: '7',
  }) as APIGatewayProxyEvent;
  expect([pathParameters, path]).toEqual([{ job_id: '7' }, '/api/v1/scraper/jobs/7']);
});
