import { z } from 'zod';

/** The properties that are read here, with CloudFormation's defaults. */

const Attributes = z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }));
const KeySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const Projection = z.object({
  ProjectionType: z.enum(['ALL', 'INCLUDE', 'KEYS_ONLY']),
  NonKeyAttributes: z.array(z.string()).optional(),
});

export const Table = z.object({
  AttributeDefinitions: Attributes,
  KeySchema,
  GlobalSecondaryIndexes: z.array(z.object({ IndexName: z.string(), KeySchema, Projection })).optional(),
});
export type Table = z.infer<typeof Table>;

export const Queue = z.object({
  VisibilityTimeout: z.number().default(30),
  MessageRetentionPeriod: z.number().default(345_600),
  DelaySeconds: z.number().default(0),
  RedrivePolicy: z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.number() }).optional(),
});
export type Queue = z.infer<typeof Queue>;

export const LambdaFunction = z.object({
  Code: z.object({ S3Key: z.string() }),
  Handler: z.string(),
  Timeout: z.number().default(3),
  MemorySize: z.number().default(128),
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }).default({ Variables: {} }),
  Layers: z.array(z.string()).default([]),
  ReservedConcurrentExecutions: z.number().optional(),
  RecursiveLoop: z.enum(['Allow', 'Terminate']).default('Terminate'),
});

export const Layer = z.object({ Content: z.object({ S3Key: z.string() }) });

export const ApiResource = z.object({ ParentId: z.string(), PathPart: z.string() });
export type ApiResource = z.infer<typeof ApiResource>;

/** Types of requests whose body is in an event as Base64. */
export const RestApi = z.object({ BinaryMediaTypes: z.array(z.string()).default([]) });

export const Method = z.object({
  RestApiId: z.string(),
  HttpMethod: z.string(),
  ResourceId: z.string(),
  Integration: z.object({
    Uri: z.string().optional(),
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
    TimeoutInMillis: z.number().default(29_000),
    ResponseTransferMode: z.enum(['STREAM', 'BUFFERED']).default('BUFFERED'),
  }),
});
export type Method = z.infer<typeof Method>;

export const GatewayResponse = z.object({
  RestApiId: z.string().optional(),
  ResponseType: z.string(),
  StatusCode: z.coerce.number().optional(),
  ResponseParameters: z.record(z.string(), z.string()).default({}),
  ResponseTemplates: z.record(z.string(), z.string()).default({}),
});
export type GatewayResponse = z.infer<typeof GatewayResponse>;

export const EventSource = z.object({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  BatchSize: z.number().default(10),
  FunctionResponseTypes: z.array(z.string()).default([]),
  // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
  ScalingConfig: z.object({ MaximumConcurrency: z.number() }).default({ MaximumConcurrency: 5 }),
});
export type EventSource = z.infer<typeof EventSource>;

export const UserPoolClient = z.object({ UserPoolId: z.string() });
export type UserPoolClient = z.infer<typeof UserPoolClient>;

export const Schedule = z.object({
  ScheduleExpression: z.string(),
  State: z.string().default('ENABLED'),
  Targets: z.array(z.object({ Arn: z.string(), Input: z.string().optional() })).default([]),
});
export type Schedule = z.infer<typeof Schedule>;

export const types: ReadonlySet<string> = new Set([
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
  'AWS::Cognito::UserPool',
  'AWS::Cognito::UserPoolClient',
  'AWS::DynamoDB::GlobalTable',
  'AWS::DynamoDB::Table',
  'AWS::Events::Rule',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::LayerVersion',
  'AWS::S3::Bucket',
  'AWS::SecretsManager::Secret',
  'AWS::SQS::Queue',
]);
