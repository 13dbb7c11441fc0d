import { readFile } from 'node:fs/promises';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readStartEnv } from '../../shared/local-config.ts';

const root = new URL('../../', import.meta.url);
const read = (name: string) => readFile(new URL(name, root), 'utf8');

type Compose = {
  services: Record<
    string,
    {
      build: string;
      platform: string;
      ports: string[];
      environment: Record<string, string | null>;
      volumes: string[];
      cap_drop: string[];
      security_opt: string[];
    }
  >;
  volumes: Record<string, unknown>;
};

const text = await read('Dockerfile');
const dockerfile = DockerfileParser.parse(text);
const last = dockerfile.getInstructions().slice(-8);
const of = (keyword: string) =>
  last.filter((it) => it.getKeyword() === keyword).map((it) => it.getArgumentsContent());

test('the Dockerfile is valid', () => {
  expect(validate(text)).toEqual([]);
});

test('the Dockerfile builds for amd64, the only architecture with a published Chromium', () => {
  const platforms = dockerfile.getFROMs().map((it) => it.getPlatformFlag()?.getValue());
  expect(platforms).toEqual(['linux/amd64', 'linux/amd64']);
});

test('the Dockerfile runs as an unprivileged user, with its state in a volume and a health check', () => {
  expect(of('USER')).toEqual(['node']);
  expect(of('VOLUME')).toEqual(['/state']);
  expect(of('HEALTHCHECK').join()).toContain('http://127.0.0.1:3000/healthz');
  expect(of('ENTRYPOINT')).toEqual(['["node_modules/.bin/node", "local/main.ts"]']);
});

test('the Dockerfile sets variables that npm start reads', () => {
  const [variables = ''] = of('ENV');
  const env = Object.fromEntries(
    (variables ?? '').split(' ').map((pair) => pair.split('=')) as [string, string][],
  );
  expect(readStartEnv(env)).toMatchObject({ host: '0.0.0.0', localDir: '/state', port: 3000 });
});

test('the Dockerfile copies the sources, but neither local state nor tests', async () => {
  const [first, ...rest] = (await read('.dockerignore')).trim().split('\n');
  expect(first).toBe('*');
  expect(rest).toEqual(
    expect.arrayContaining(['!clients', '!functions', '!infra', '!local', '!shared', '!package.json']),
  );
});

test('compose.yaml serves on loopback only, keeps the state and grants no privileges', async () => {
  const { services, volumes } = parse(await read('compose.yaml'), { strict: true }) as Compose;
  const { sitefetch } = services;
  expect(sitefetch).toMatchObject({
    build: '.',
    platform: 'linux/amd64',
    ports: ['127.0.0.1:3000:3000', '127.0.0.1:3001:3001'],
    volumes: ['state:/state'],
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
  expect(Object.keys(volumes)).toEqual(['state']);
  expect(Object.keys(sitefetch?.environment ?? {})).toEqual([
    'API_KEY',
    'API_URL',
    'EGRESS_ALLOW',
    'PREMIUM_PROXY_URL',
  ]);
});
