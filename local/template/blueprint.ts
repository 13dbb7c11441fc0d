import { z } from 'zod';
import type { FunctionSpec } from '../lambda/function-spec.ts';
import type { Assembly } from './assembly.ts';
import { attributeOf, type Endpoints, physicalName, referenceTo, type Named } from './physical.ts';
import { resolveResources, type ResolvedResource } from './resolve-intrinsics.ts';
import * as schema from './resource-schemas.ts';

export type Route = {
  /** Name of its REST API. */
  api: string;
  /** In API Gateway's form: `/jobs/{job_id}`. */
  path: string;
  method: string;
  functionArn: string;
  timeoutMs: number;
  isStreamed: boolean;
  /** Of requests whose body is in the event as Base64. */
  binaryTypes?: string[];
};

export type FunctionBlueprint = FunctionSpec & {
  reservedConcurrency: number | undefined;
  /** Folders that Lambda would lay over /opt. */
  layers: string[];
};

/** The resources of the templates that this machine can run. */
export type Blueprint = {
  functions: FunctionBlueprint[];
  tables: (schema.Table & { name: string })[];
  queues: (schema.Queue & { name: string; url: string; arn: string })[];
  buckets: { name: string }[];
  secrets: { name: string }[];
  routes: Route[];
  gatewayResponses: schema.GatewayResponse[];
  userPools: { name: string }[];
  userPoolClients: (schema.UserPoolClient & { name: string })[];
  eventSources: schema.EventSource[];
  schedules: (schema.Schedule & { name: string })[];
};

export function blueprintOf({ stacks, assets }: Assembly, endpoints: Endpoints): Blueprint {
  const resources = resolveResources(stacks, endpoints, schema.types);
  const of = <T>(type: string, parser: z.ZodType<T>) =>
    resources
      .filter((resource) => resource.type === type)
      .map((resource) => ({ ...nameOf(resource, endpoints), ...parser.parse(resource.properties) }));
  const folderOf = (key: string) => assets.get(key) ?? missing(key);
  const layers = new Map(
    of('AWS::Lambda::LayerVersion', schema.Layer).map(({ name, Content }) => [name, folderOf(Content.S3Key)]),
  );
  return {
    functions: of('AWS::Lambda::Function', schema.LambdaFunction).map((it) => ({
      name: it.name,
      label: labelOf(it.id),
      arn: it.arn,
      taskRoot: folderOf(it.Code.S3Key),
      handler: it.Handler,
      timeoutSeconds: it.Timeout,
      memoryMb: it.MemorySize,
      variables: it.Environment.Variables,
      recursiveLoop: it.RecursiveLoop,
      reservedConcurrency: it.ReservedConcurrentExecutions,
      layers: it.Layers.map((layer) => layers.get(layer) ?? missing(layer)),
    })),
    tables: [...of('AWS::DynamoDB::Table', schema.Table), ...of('AWS::DynamoDB::GlobalTable', schema.Table)],
    queues: of('AWS::SQS::Queue', schema.Queue),
    buckets: of('AWS::S3::Bucket', z.object({})),
    secrets: of('AWS::SecretsManager::Secret', z.object({})),
    routes: routesOf(
      of('AWS::ApiGateway::Resource', schema.ApiResource),
      of('AWS::ApiGateway::Method', schema.Method),
      new Map(of('AWS::ApiGateway::RestApi', schema.RestApi).map((api) => [api.name, api.BinaryMediaTypes])),
    ),
    gatewayResponses: of('AWS::ApiGateway::GatewayResponse', schema.GatewayResponse),
    userPools: of('AWS::Cognito::UserPool', z.object({})),
    userPoolClients: of('AWS::Cognito::UserPoolClient', schema.UserPoolClient),
    eventSources: of('AWS::Lambda::EventSourceMapping', schema.EventSource),
    schedules: of('AWS::Events::Rule', schema.Schedule).filter(({ State }) => State === 'ENABLED'),
  };
}

function nameOf({ stackName, id, type, properties }: ResolvedResource, endpoints: Endpoints) {
  const resource: Named = { stackName, id, Type: type, properties: (key) => properties[key] };
  return {
    id,
    name: physicalName(resource),
    arn: attributeOf('Arn', resource),
    url: referenceTo(resource, endpoints),
  };
}

/** CDK's ids are the construct's name and a hash. */
const labelOf = (id: string) => id.replace(/(Function)?[0-9A-F]{8}$/, '').toLowerCase() || id;

type Tree = (schema.ApiResource & { id: string })[];

/** Methods with their paths, which resources hold part by part. */
function routesOf(tree: Tree, methods: schema.Method[], binaryTypes: ReadonlyMap<string, string[]>): Route[] {
  const byId = new Map(tree.map((resource) => [resource.id, resource]));
  const pathOf = (id: string): string => {
    const resource = byId.get(id);
    return resource ? `${pathOf(resource.ParentId)}/${resource.PathPart}` : '';
  };
  return methods.flatMap(({ RestApiId, HttpMethod, ResourceId, Integration }) => {
    // arn:aws:apigateway:<region>:lambda:path/<version>/functions/<function ARN>/invocations
    const functionArn = /\/functions\/(.+)\/(?:response-streaming-)?invocations$/.exec(
      Integration.Uri ?? '',
    )?.[1];
    if (functionArn === undefined) return [];
    return {
      api: RestApiId,
      path: pathOf(ResourceId) || '/',
      method: HttpMethod,
      functionArn,
      timeoutMs: Integration.TimeoutInMillis,
      isStreamed: Integration.ResponseTransferMode === 'STREAM',
      binaryTypes: binaryTypes.get(RestApiId) ?? [],
    };
  });
}

function missing(key: string): never {
  throw new Error(`The assembly holds no ${key}.`);
}
