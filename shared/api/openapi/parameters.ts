import type { Json } from '../../contract/json-schema.ts';
import { exampleJobId } from './examples.ts';

export function inHeader(described: Readonly<Record<string, Json>>): Json[] {
  return Object.entries(described).map(([name, more]) => ({ name, in: 'header', ...more }));
}

export function inPath(name: string, described: Json): Json {
  return { name, in: 'path', required: true, ...described };
}

export const jobId = inPath('job_id', {
  description: 'What the submit answered.',
  schema: { type: 'string', format: 'uuid' },
  example: exampleJobId,
});
