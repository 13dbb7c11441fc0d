import { expect } from 'vitest';
import type { Service } from './api.ts';

type Asking = Pick<Service, 'ask' | 'post'>;

const SCRAPE = '/api/v1/scraper';
const JOBS = '/api/v1/scraper/jobs';
const TARGET = 'https://example.com/';

type Refusal = {
  /** Of the field at fault, as the message has it. */
  path: string;
  problem: string;
  /** Absent: the path. A name within a map, such as a header's, is no field. */
  param?: string;
};

/** A sync call and a job with these fields are refused alike, at one field and for one reason. */
export async function expectRefused(
  { post }: Asking,
  key: string,
  fields: object,
  { path, problem, param = path }: Refusal,
): Promise<void> {
  for (const route of [SCRAPE, JOBS]) {
    const { status, json } = await post(route, key, { url: TARGET, ...fields });
    expect([status, json['code'], json['param']]).toEqual([400, 'invalid_request', param]);
    expect(json['message']).toContain(`'${path}'`);
    expect(json['message']).toContain(problem);
    expect(json).not.toHaveProperty('errors');
  }
}

/** A field that a query string cannot hold is refused there in words of its own. */
export async function expectRefusedInQuery({ ask }: Asking, key: string, query: string, param: string) {
  const { status, json } = await ask(`${SCRAPE}?url=${TARGET}&${query}`, { key });
  expect([status, json['param'], json['message']]).toEqual([
    400,
    param,
    `Field '${param}' is only accepted in the JSON body of a POST.`,
  ]);
}
