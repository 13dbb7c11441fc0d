import { expect } from 'vitest';
import type { Page } from '../../../shared/contract/scrape/page.ts';
import { key, service, world } from '../world/each-test.ts';
import { page } from '../world/pages.ts';

export const SITE = 'https://shop.example';
const words = Array.from({ length: 60 }, (_, n) => `word${n}`).join(' ');

export const html = (title: string, links: readonly string[] = []) =>
  `<html><head><title>${title}</title></head><body><h1>${title}</h1><p>${words} ${title}</p>${links
    .map((path) => `<a href="${path}">${path}</a>`)
    .join(' ')}</body></html>`;

export function serves(path: string, body: string, rest: Partial<Page> = {}) {
  const url = new URL(path, SITE).href;
  world.web[url] = page(body, { url, ...rest });
}

export type Document = Record<string, unknown> & { warning?: string; metadata: Record<string, unknown> };
export type Status = Record<string, unknown> & { next: string | null; data: Document[] };

export async function statusOf(path: string): Promise<Status> {
  const { status, text, json } = await service.ask(path, { key });
  expect([status, text]).toEqual([200, text]);
  return json as Status;
}

/** All documents, as clients gather them. */
export async function gathered(path: string): Promise<Status> {
  const first = await statusOf(path);
  const data = [...first.data];
  for (let { next } = first; next !== null;) {
    const following = await statusOf(next.replace(/^https?:\/\/[^/]+/, ''));
    data.push(...following.data);
    ({ next } = following);
  }
  return { ...first, data };
}

/** Works until a crawl or batch has ended. */
export async function finished(path: string): Promise<Status> {
  for (let turn = 0; turn < 60; turn += 1) {
    await service.work();
    const status = await gathered(path);
    if (status['status'] !== 'scraping') return status;
    world.pass(60_000);
    for (const sweep of ['sweep', 'sweepChunks', 'sweepBatches', 'sweepBacklogs', 'sweepCrawls'] as const)
      await service[sweep]();
  }
  throw new Error('It does not end.');
}

export async function started(path: string, body: object) {
  const { status, json, text } = await service.post(path, key, body);
  expect([status, text]).toEqual([200, text]);
  expect(json).toMatchObject({ success: true, id: expect.any(String) as string });
  expect(json['url']).toBe(`${world.apiUrl}${path}/${String(json['id'])}`);
  return { ...json, path: `${path}/${String(json['id'])}` } as { path: string } & Record<string, unknown>;
}
