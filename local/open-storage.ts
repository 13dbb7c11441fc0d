import { join } from 'node:path';
import { createResources } from './create-resources.ts';
import { startEmulators, type Emulators } from './emulators.ts';
import { LOCAL_CONTEXT, synthesise } from './synthesise.ts';
import { readAssembly } from './template/assembly.ts';
import { blueprintOf, type Blueprint } from './template/blueprint.ts';

type Options = {
  localDir: string;
  folder: string;
  assembly: string | undefined;
  path: string;
  before: (url: string) => Promise<string>;
  report: (line: string) => void;
  signal: AbortSignal;
};

type Storage = {
  blueprint: Blueprint;
  emulators: Emulators;
  /** The URLs of the emulators that functions call. */
  seen: Pick<Emulators, 'dynamodb' | 'sqs' | 's3'>;
} & AsyncDisposable;

/** Starts the emulators and creates the resources of the templates in them. */
export async function openStorage(options: Options): Promise<Storage> {
  const { localDir, folder, path, before, report, signal } = options;
  await using opening = new AsyncDisposableStack();
  const assembly = options.assembly ?? join(localDir, 'cdk.out');
  if (options.assembly === undefined) report('Bundling the functions and synthesising the stacks');
  report('Starting DynamoDB, SQS and S3');
  const [emulators] = await Promise.all([
    startEmulators(folder).then((it) => opening.use(it)),
    options.assembly === undefined
      ? synthesise({ output: assembly, path, context: LOCAL_CONTEXT, signal })
      : undefined,
  ]);
  const { dynamodb, sqs, s3 } = emulators;
  const seen = { dynamodb: await before(dynamodb), sqs: await before(sqs), s3: await before(s3) };
  const blueprint = blueprintOf(await readAssembly(assembly), seen);
  await createResources(blueprint, emulators);
  const open = opening.move();
  return { blueprint, emulators, seen, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
