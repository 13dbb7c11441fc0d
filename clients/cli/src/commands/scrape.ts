import { writeFile } from 'node:fs/promises';
import type { Page } from '../../../typescript/src/sitefetch.ts';
import { type Call, type Command, textOf } from '../command.ts';
import { exitCodeOfPage } from '../exit-code.ts';
import { SCRAPE_OPTIONS, scrapeRequestOf } from '../scrape-fields.ts';
import { urlOf } from '../url-of.ts';

export const scrape: Command = {
  usage: 'URL',
  about: 'Prints a page.',
  options: {
    ...SCRAPE_OPTIONS,
    output: { type: 'string', short: 'o', value: 'FILE', about: 'write the page to a file' },
    json: { type: 'boolean', about: 'print what is known of the page, and its text, as JSON' },
    headers: { type: 'boolean', about: 'print the headers of the response to stderr' },
    cost: { type: 'boolean', about: 'print the credits to stderr' },
  },
  run: async (call) => {
    const client = await call.client();
    return printed(call, await client.scrape(scrapeRequestOf(call, urlOf(call))));
  },
};

/** Prints the page as the options say. Resolves to the exit code. */
export async function printed(call: Call, page: Page): Promise<number> {
  const { values, out, err } = call;
  if (values['headers'] === true) for (const [name, value] of page.headers) err.write(`${name}: ${value}\n`);
  if (values['cost'] === true) {
    const { used, remaining, reason } = page.credits;
    err.write(`${used} credits (${reason ?? 'unknown'}), ${remaining ?? 'unknown'} left\n`);
  }
  const body = values['json'] === true ? `${JSON.stringify(describe(page), null, 2)}\n` : page.bytes();
  const file = textOf(call, 'output');
  if (file === undefined) out.write(body);
  else await writeFile(file, body);
  const code = exitCodeOfPage(page);
  if (code !== 0) err.write(`sitefetch: ${page.verdict ?? 'page'}, status ${page.targetStatus}\n`);
  return code;
}

function describe(page: Page) {
  const { targetUrl, targetStatus, verdict, contentType, credits, requestId, jobId } = page;
  const isText = /^text\/|json|xml|javascript/.test(contentType);
  return {
    ...{ url: targetUrl, status: targetStatus, verdict, content_type: contentType },
    ...{ credits, request_id: requestId, job_id: jobId },
    ...(isText ? { body: page.text() } : { body: base64(page), body_encoding: 'base64' }),
  };
}

const base64 = (page: Page) => Buffer.from(page.bytes()).toString('base64');
