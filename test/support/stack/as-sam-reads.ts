import { resolve } from 'node:path';

type Properties = {
  Handler: string;
  Runtime: string;
  Architectures: string[];
  Timeout: number;
  MemorySize: number;
  Environment?: { Variables: Record<string, unknown> };
  Layers?: { Ref: string }[];
};
type Resource = { Type: string; Properties: object; Metadata?: Record<string, unknown> };
type Template = { Resources: Record<string, Resource> };
type EnvFile = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The functions of a template, as `sam local invoke` finds them. Throws where it would. */
export function functionsIn({ Resources }: Template, folder: string) {
  return Object.entries(Resources)
    .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
    .map(([id, resource]) => {
      const properties = resource.Properties as Properties;
      return {
        id,
        ...properties,
        code: assetOf(resource, 'Code', folder),
        layers: (properties.Layers ?? []).map(({ Ref }) => layerOf(Resources[Ref], folder)),
        declared: properties.Environment?.Variables ?? {},
      };
    });
}

function layerOf(layer: Resource | undefined, folder: string): string {
  if (layer?.Type !== 'AWS::Lambda::LayerVersion') throw new Error('The layer is not in the template.');
  return assetOf(layer, 'Content', folder);
}

/** By the CDK's metadata, as the properties name an archive in S3. */
function assetOf({ Metadata = {} }: Resource, property: string, folder: string): string {
  if (Metadata['aws:asset:property'] !== property) throw new Error(`There is no asset for ${property}.`);
  return resolve(folder, String(Metadata['aws:asset:path']));
}

/**
 * The environment of a function: what the template declares, or has for it in the file of `--env-vars`.
 * https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-sam-cli-using-invoke.html
 */
export function variablesOf(
  { id, declared }: Pick<ReturnType<typeof functionsIn>[number], 'id' | 'declared'>,
  file: EnvFile,
): Record<string, string> {
  const own = { ...file.Parameters, ...file[id] };
  return {
    // SAM's own, which a function has whether it wants them or not.
    AWS_ACCOUNT_ID: '123456789012',
    AWS_ACCESS_KEY_ID: 'defaultkey',
    AWS_SECRET_ACCESS_KEY: 'defaultsecret',
    AWS_REGION: 'us-east-1',
    ...Object.fromEntries(
      Object.entries(declared).map(([name, value]) => [
        name,
        own[name] ?? (typeof value === 'string' ? value : ''),
      ]),
    ),
  };
}
