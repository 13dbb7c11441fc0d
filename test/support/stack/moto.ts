import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  CloudFormationClient,
  CreateStackCommand,
  waitUntilStackCreateComplete,
} from '@aws-sdk/client-cloudformation';
import { readLocalEnv } from '../../../shared/local-config.ts';

const { path } = readLocalEnv();

/** Whether this machine has a program. */
export function isOnPath(program: string): boolean {
  return path.split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** moto (`pip install 'moto[server]'`): an empty AWS account on loopback, and variables that lead to it. */
export async function motoServer(home: string) {
  const server = spawn('moto_server', ['-H', '127.0.0.1', '-p', '0'], {
    env: { PATH: path, HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const output: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  server.once('exit', () => reject(new Error(`moto did not start.\n${output.join('\n')}`)));
  createInterface(server.stderr).on('line', (line) => {
    output.push(line);
    const port = /Running on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port !== undefined) resolve(port);
  });
  // moto accepts a path-style URL of a template in S3 only under this host name.
  const url = `http://localhost:${await promise}`;
  const environment = {
    PATH: path,
    HOME: home,
    AWS_ENDPOINT_URL: url,
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    CDK_DISABLE_VERSION_CHECK: 'true',
  };
  return {
    url,
    environment,
    output,
    /** With the first one moto loads its services, for longer than the CDK waits before it repeats a call. */
    createStack: async (StackName: string, template: object) => {
      const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
      const client = new CloudFormationClient({ endpoint: url, region: environment.AWS_REGION, credentials });
      const Resources = { Topic: { Type: 'AWS::SNS::Topic' } };
      const TemplateBody = JSON.stringify({ Resources, ...template });
      await client.send(new CreateStackCommand({ StackName, TemplateBody }));
      await waitUntilStackCreateComplete({ client, maxWaitTime: 60 }, { StackName });
      client.destroy();
    },
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    },
  };
}
