import type { JobRequest } from '../../../typescript/src/sitefetch.ts';
import { type Command, textOf } from '../command.ts';
import { SCRAPE_OPTIONS, scrapeRequestOf } from '../scrape-fields.ts';
import { argumentOf, urlOf } from '../url-of.ts';
import { printed, scrape } from './scrape.ts';

const { output, json, headers, cost } = scrape.options;

export const jobsSubmit: Command = {
  usage: 'jobs submit URL',
  about: 'Submits a job and prints its id.',
  options: {
    ...SCRAPE_OPTIONS,
    tag: { type: 'string', multiple: true, value: 'TAG', about: 'a name for a group of jobs' },
    'idempotency-key': { type: 'string', value: 'KEY', about: 'a repeat with the same key is the same job' },
  },
  run: async (call) => {
    const client = await call.client();
    const tags = [call.values['tag'] ?? []].flat();
    const request = { ...scrapeRequestOf(call, urlOf(call)), ...(tags.length > 0 && { tags }) };
    const idempotencyKey = textOf(call, 'idempotency-key');
    const { job_id: id } = await client.jobs.submit(request as JobRequest, { idempotencyKey });
    call.out.write(`${id}\n`);
    return undefined;
  },
};

export const jobsWait: Command = {
  usage: 'jobs wait ID',
  about: 'Waits for a job and prints its page.',
  options: {
    ...(output && { output }),
    ...(json && { json }),
    ...(headers && { headers }),
    ...(cost && { cost }),
  },
  run: async (call) => {
    const client = await call.client();
    const id = argumentOf(call, 'ID');
    await client.jobs.wait(id);
    return printed(call, await client.jobs.result(id));
  },
};

export const jobsList: Command = {
  usage: 'jobs list',
  about: 'Prints the jobs as JSON lines, newest first.',
  options: {
    status: {
      type: 'string',
      value: 'STATUS',
      about: 'only jobs with this status',
      choices: ['pending', 'running', 'completed', 'failed'],
    },
    tag: { type: 'string', value: 'TAG', about: 'only jobs with this tag' },
  },
  run: async (call) => {
    const client = await call.client();
    const [status, tag] = [textOf(call, 'status'), textOf(call, 'tag')];
    const query = {
      ...(status !== undefined && { status: status as 'pending' }),
      ...(tag !== undefined && { tag }),
    };
    for await (const job of client.jobs.list(query)) call.out.write(`${JSON.stringify(job)}\n`);
    return undefined;
  },
};

export const jobsCancel: Command = {
  usage: 'jobs cancel ID',
  about: 'Cancels a job.',
  options: {},
  run: async (call) => {
    const client = await call.client();
    const { status } = await client.jobs.cancel(argumentOf(call, 'ID'));
    call.err.write(`${status}\n`);
    return undefined;
  },
};
