import { expect } from 'vitest';
import type { Service } from './api.ts';

type Asking = Pick<Service, 'ask' | 'post'>;

const SCRAPE = '/api/v1/scraper';
const JOBS = '/api/v1/scraper/jobs';
const TARGET = 'https://example.com/';

/** A sync call and a job with these fields are refused alike, at one field and for one reason. */
export async function expectRefused(
  { post }: Asking,
  key: string,
  fields: object,
  param: string,
  problem: string,
): Promise<void> {
  for (const path of [SCRAPE, JOBS]) {
    const { status, json } = await post(path, key, { url: TARGET, ...fields });
    expect([status, json['code']]).toEqual([400, 'invalid_request']);
    // Names within a map, such as that of a rule, stand in the message only.
    expect(param).toContain(json['param']);
    expect(json['message']).toContain(`'${param}'`);
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
    `Field '${param}' is only taken in the JSON body of a POST.`,
  ]);
}
