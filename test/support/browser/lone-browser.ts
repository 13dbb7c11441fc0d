import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FunctionSpec } from '../../../local/lambda/function-spec.ts';
import { runFunction } from '../../../local/lambda/lambda-function.ts';

type Options = Pick<FunctionSpec, 'taskRoot' | 'timeoutSeconds' | 'memoryMb' | 'variables'> & {
  maxEnvironments: number;
};

/** The browser function, alone behind a server that speaks Lambda's Runtime API, and the lines of its log. */
export async function loneBrowser({ maxEnvironments, variables, ...spec }: Options) {
  const folder = await mkdtempDisposable(join(tmpdir(), 'lone-browser-'));
  const lines: string[] = [];
  const lambda = runFunction({
    spec: {
      ...spec,
      name: 'browser',
      label: 'browser',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:browser',
      handler: 'index.handler',
      variables: { API_HOST: 'api.invalid', ...variables },
    },
    reservedConcurrency: 1_000,
    maxEnvironments,
    temporary: folder.path,
    log: (line) => lines.push(line),
  });
  return {
    lambda,
    lines,
    async [Symbol.asyncDispose]() {
      await lambda.stop();
      await folder.remove();
    },
  };
}
