import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { BatchLine, BatchRequest, Sitefetch } from '../../../typescript/src/sitefetch.ts';
import { type Call, type Command, textOf } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { progressOn } from '../progress.ts';
import { openResultFile } from '../result-file.ts';
import { fieldsOf, SCRAPE_OPTIONS } from '../scrape-fields.ts';
import { argumentOf } from '../url-of.ts';
import { UsageError } from '../usage-error.ts';

/** What a later process needs to continue: written before the submit, whose key makes a repeat safe. */
type State = { idempotencyKey: string; sha256: string; batchId?: string };

const MAX_INLINE = 1_000;
const MAX_INLINE_BYTES = 1_500_000;

export const batchRun: Command = {
  usage: 'batch run FILE',
  about: 'Scrapes the URLs of a file, one a line, or requests as JSON lines. Writes a line for each result.',
  options: {
    ...SCRAPE_OPTIONS,
    output: {
      type: 'string',
      short: 'o',
      value: 'FILE',
      about: 'the results; FILE.results.ndjson if absent',
    },
    body: { type: 'boolean', about: 'with the pages' },
    resume: { type: 'boolean', about: 'continue what was interrupted' },
  },
  run: async (call) => {
    const input = argumentOf(call, 'FILE');
    const output = textOf(call, 'output') ?? `${input}.results.ndjson`;
    const request = { requests: requestsIn(await textIn(input)), defaults: fieldsOf(call) } as BatchRequest;
    const file = await openResultFile(output);
    const statePath = `${output}.state`;
    const saved = await savedState(statePath);
    if (call.values['resume'] !== true && (saved ?? file.lines > 0))
      throw new UsageError(`${output} was begun. Use --resume to continue, or remove it and ${statePath}.`);
    const state = saved ?? { idempotencyKey: randomUUID(), sha256: hashOf(request) };
    if (state.sha256 !== hashOf(request))
      throw new UsageError('The requests have changed since the run that was interrupted.');
    await save(statePath, state);
    const client = await call.client();
    const batchId = state.batchId ?? (await submit(client, request, state));
    await save(statePath, { ...state, batchId });
    const progress = progressOn(call);
    const { total, failed } = await download(call, client, { batchId, file }, (text) => progress.show(text));
    progress.end();
    await rm(statePath);
    call.err.write(`${total} results in ${output}, ${failed} failed\n`);
    return failed === 0 ? EXIT.ok : EXIT.target;
  },
};

type Download = { batchId: string; file: Awaited<ReturnType<typeof openResultFile>> };

async function download(
  { values }: Call,
  client: Sitefetch,
  { batchId, file }: Download,
  show: (text: string) => void,
) {
  let [total, failed] = [file.lines, file.failed];
  const results = client.batches.results(batchId, {
    ...(values['body'] === true && { include: 'body' as const }),
    ...(file.cursor !== undefined && { cursor: file.cursor }),
  });
  for await (const line of results) {
    await file.append(line);
    total += 1;
    if (line.status === 'failed') failed += 1;
    show(`${batchId}: ${total} results, ${failed} failed`);
  }
  return { total, failed };
}

async function submit(client: Sitefetch, request: BatchRequest, { idempotencyKey }: State): Promise<string> {
  const { requests, ...fields } = request;
  const isLarge = requests.length > MAX_INLINE || JSON.stringify(requests).length > MAX_INLINE_BYTES;
  const options = { idempotencyKey };
  const batch = isLarge
    ? await client.batches.upload(requests, fields, options)
    : await client.batches.submit(request, options);
  return batch.batch_id;
}

const hashOf = (request: BatchRequest): string =>
  createHash('sha256').update(JSON.stringify(request)).digest('hex');

async function savedState(path: string): Promise<State | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as State);
}

/** The file is replaced in one step, so a killed process leaves the old state or the new one. */
async function save(path: string, { idempotencyKey, sha256, batchId }: State): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify({ idempotencyKey, sha256, batchId }));
  await rename(`${path}.new`, path);
}

async function textIn(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  });
}

function requestsIn(text: string): BatchLine[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.flatMap((line, index) => {
    if (line === '') return [];
    if (!line.startsWith('{')) return { url: line };
    try {
      return JSON.parse(line) as BatchLine;
    } catch {
      throw new UsageError(`Line ${index + 1} is not JSON.`);
    }
  });
}
