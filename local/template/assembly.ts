import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';

const Resource = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
});
export type Resource = z.infer<typeof Resource>;

const Template = z.object({
  Resources: z.record(z.string(), Resource),
  Outputs: z
    .record(z.string(), z.object({ Value: z.unknown(), Export: z.object({ Name: z.string() }).optional() }))
    .default({}),
  Parameters: z.record(z.string(), z.object({ Default: z.unknown().optional() })).default({}),
});

const Manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      properties: z
        .object({ templateFile: z.string(), stackName: z.string(), file: z.string() })
        .partial()
        .default({}),
    }),
  ),
});

const AssetManifest = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.object({ path: z.string() }),
      destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
    }),
  ),
});

export type StackTemplate = z.infer<typeof Template> & { stackName: string };

/** The output of a synthesis: templates, and the folders of the code that they name. */
export type Assembly = {
  stacks: StackTemplate[];
  /** Folder of an asset by its key in the assets bucket. */
  assets: ReadonlyMap<string, string>;
};

export async function readAssembly(folder: string): Promise<Assembly> {
  const { artifacts } = await read(Manifest, join(folder, 'manifest.json'));
  const stacks: StackTemplate[] = [];
  const assets = new Map<string, string>();
  for (const [id, { type, properties }] of Object.entries(artifacts)) {
    if (type === 'aws:cloudformation:stack' && properties.templateFile) {
      const template = await read(Template, join(folder, properties.templateFile));
      stacks.push({ ...template, stackName: properties.stackName ?? id });
    }
    if (type === 'cdk:asset-manifest' && properties.file) {
      const { files } = await read(AssetManifest, join(folder, properties.file));
      for (const { source, destinations } of Object.values(files)) {
        for (const { objectKey } of Object.values(destinations)) {
          assets.set(objectKey, resolve(folder, source.path));
        }
      }
    }
  }
  return { stacks, assets };
}

async function read<T>(schema: z.ZodType<T>, file: string): Promise<T> {
  return schema.parse(JSON.parse(await readFile(file, 'utf8')));
}
