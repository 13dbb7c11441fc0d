import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { DISABLE_ASSET_STAGING_CONTEXT } from 'aws-cdk-lib/cx-api';
import cdk from '../../cdk.json' with { type: 'json' };
import { allStacks } from '../../infra/sitefetch.ts';
import type { Bundles } from '../../infra/constructs/bundle-functions.ts';
import type { Code } from '../../infra/resources.ts';
import type { StageName } from '../../infra/stage-names.ts';
import { type Stage, stages } from '../../infra/stages.ts';
import { environments } from '../../shared/config.ts';

type Resource = {
  Type: string;
  Properties: Readonly<Record<string, unknown>>;
  DeletionPolicy?: string;
  DependsOn?: string[];
};
export type Resources = Readonly<Record<string, Resource>>;

type Options = {
  stage?: StageName;
  /** Settings that differ from the stage's. */
  but?: Partial<Stage>;
  context?: Readonly<Record<string, unknown>>;
  chromium?: Partial<Code['chromium']>;
};

/** A model of the operator's, whose key is a secret. */
export const someModel = {
  kind: 'openai',
  baseUrl: 'https://models.example/v1',
  secretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:model-AbCdEf',
  name: 'reader-1',
  structured: 'json_schema',
} as const satisfies Stage['model'];

/** All optional settings of a stage. */
export const everyOption = {
  tenantIsolation: true,
  firewall: { requestsPerMinute: 100_000, withoutKeyPerMinute: 600 },
  domain: {
    name: 'scrape.example.com',
    certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/12345678-abcd-1234-abcd-123456789012',
  },
  dashboardDomain: {
    name: 'account.example.com',
    certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/87654321-abcd-1234-abcd-123456789012',
  },
  mail: { from: 'no-reply@example.com', domain: 'example.com', region: 'eu-central-1' },
  alarmEmail: 'operator@example.com',
  premiumProxySecretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:premium-AbCdEf',
  model: someModel,
} satisfies Partial<Stage>;

/** A substitute for the code, of which templates contain only the hash. */
const code: Code = {
  bundles: Object.fromEntries(
    Object.keys(environments).map((name) => [name, import.meta.dirname]),
  ) as Bundles,
  chromium: { folder: import.meta.dirname, version: '1', hash: '1', released: '2026-01-31' },
};

const made = new Map<string, ReturnType<typeof newlySynthesised>>();

/** The app of a stage, and its templates as the CLI would see them. Shared by all who ask for the same. */
export function synthesised(options: Options = {}) {
  const key = JSON.stringify({ stage: 'dev', ...options });
  const known = made.get(key) ?? newlySynthesised(options);
  made.set(key, known);
  return known;
}

/** The same for a test that changes it. */
export async function newlySynthesised({
  stage: name = 'dev',
  but = {},
  context = {},
  chromium = {},
}: Options = {}) {
  await using outdir = await mkdtempDisposable(join(tmpdir(), 'sitefetch-synth-'));
  const app = new App({
    outdir: outdir.path,
    context: { ...cdk.context, [DISABLE_ASSET_STAGING_CONTEXT]: true, ...context },
    // It takes most of the time of a synthesis, and has its own test.
    builtinCloudFormationValidation: false,
    // They are made for each construct, and no test reads them.
    stackTraces: false,
    treeMetadata: false,
  });
  const stage = { ...stages[name], ...but };
  const { stackTraceLimit } = Error;
  // Each construct captures a trace, which takes a tenth of the time.
  Error.stackTraceLimit = 0;
  try {
    allStacks(app, name, stage, { ...code, chromium: { ...code.chromium, ...chromium } });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  const stacks = app.node.children.filter((child) => child instanceof Stack);
  const [storageStack, identityStack, serviceStack, dashboardStack] = stacks;
  if (!storageStack || !identityStack || !serviceStack || !dashboardStack)
    throw new Error('There are four stacks.');
  const templates = new Map(stacks.map((stack) => [stack.stackName, Template.fromStack(stack).toJSON()]));
  const resourcesOf = ({ stackName }: Stack) => templates.get(stackName)?.['Resources'] as Resources;
  return {
    app,
    templates,
    ...{ storageStack, serviceStack, identityStack, dashboardStack },
    storage: resourcesOf(storageStack),
    service: resourcesOf(serviceStack),
    identity: resourcesOf(identityStack),
    dashboard: resourcesOf(dashboardStack),
  };
}

/** The resources of a type, by logical id. */
export function ofType(resources: Resources, type: string): [id: string, resource: Resource][] {
  return Object.entries(resources).filter(([, resource]) => resource.Type === type);
}

/** The one resource of a type whose logical id starts with a name. */
export function the(resources: Resources, type: string, name: string): Resource {
  const found = ofType(resources, type).filter(([id]) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id));
  if (found.length !== 1) throw new Error(`${found.length} of ${type} are called ${name}`);
  return (found[0] as [string, Resource])[1];
}

/** The target of a Ref, GetAtt, ImportValue or Join, by its name in the code: `Jobs/index/open`. */
export function named(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const name = /(?:FnGetAtt|ExportsOutputRef)?([A-Z][A-Za-z]*?)[0-9A-F]{8}/.exec(
    text.replace(/.*:ExportsOutput/, ''),
  )?.[1];
  const tail = /"(\/[^"]+)"/.exec(text)?.[1] ?? '';
  return `${name ?? text}${tail}`;
}
