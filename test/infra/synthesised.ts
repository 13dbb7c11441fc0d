import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { DISABLE_ASSET_STAGING_CONTEXT } from 'aws-cdk-lib/cx-api';
import cdk from '../../cdk.json' with { type: 'json' };
import { sitefetch } from '../../infra/sitefetch.ts';

type Resource = { Type: string; Properties: Readonly<Record<string, unknown>>; DeletionPolicy?: string };
export type Resources = Readonly<Record<string, Resource>>;

/** The app and its templates, as the CLI would have them. No asset is copied: that would be 200 MB of Chromium. */
export async function synthesised(context: Readonly<Record<string, unknown>> = {}) {
  await using outdir = await mkdtempDisposable(join(tmpdir(), 'sitefetch-synth-'));
  const app = new App({
    outdir: outdir.path,
    context: { ...cdk.context, [DISABLE_ASSET_STAGING_CONTEXT]: true, ...context },
  });
  await sitefetch(app);
  const [storageStack, serviceStack] = app.node.children.filter((child) => child instanceof Stack);
  if (!storageStack || !serviceStack) throw new Error('There are two stacks.');
  return { app, serviceStack, storage: resourcesOf(storageStack), service: resourcesOf(serviceStack) };
}

function resourcesOf(stack: Stack): Resources {
  return Template.fromStack(stack).toJSON().Resources as Resources;
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

/** What a Ref, GetAtt, ImportValue or Join points at, by the name it has in the code: `Jobs/index/open`. */
export function named(value: unknown): string {
  const text = JSON.stringify(value);
  const name = /(?:FnGetAtt|ExportsOutputRef)?([A-Z][A-Za-z]*?)[0-9A-F]{8}/.exec(
    text.replace(/.*:ExportsOutput/, ''),
  )?.[1];
  const tail = /"(\/[^"]+)"/.exec(text)?.[1] ?? '';
  return `${name ?? text}${tail}`;
}
