export const REGION = 'us-east-1';
/** The account of the queue emulator, whose redrive policies hold ARNs. */
export const ACCOUNT = '000000000000';

export const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::Region': REGION,
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

export type Named = {
  stackName: string;
  id: string;
  Type: string;
  properties: (key: string) => unknown;
};

/** URLs on this machine, which a template cannot know. */
export type Endpoints = { sqs: string };

type Physical = { name: (named: Named) => string; arn: (name: string) => string };

const physical: Readonly<Record<string, Physical>> = {
  'AWS::ApiGateway::RestApi': { name: named('Name'), arn: (name) => arn('apigateway', name) },
  'AWS::Cognito::UserPool': {
    name: named('UserPoolName'),
    arn: (name) => arn('cognito-idp', `userpool/${name}`),
  },
  'AWS::Cognito::UserPoolClient': { name: named('ClientName'), arn: (name) => arn('none', name) },
  'AWS::DynamoDB::Table': { name: named('TableName'), arn: (name) => arn('dynamodb', `table/${name}`) },
  'AWS::DynamoDB::GlobalTable': { name: named('TableName'), arn: (name) => arn('dynamodb', `table/${name}`) },
  'AWS::SecretsManager::Secret': {
    name: named('Name'),
    arn: (name) => arn('secretsmanager', `secret:${name}`),
  },
  'AWS::SQS::Queue': { name: named('QueueName'), arn: (name) => arn('sqs', name) },
  'AWS::S3::Bucket': {
    // https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    name: (resource) => named('BucketName')(resource).toLowerCase().slice(0, 63),
    arn: (name) => `arn:aws:s3:::${name}`,
  },
  'AWS::Lambda::Function': { name: named('FunctionName'), arn: (name) => arn('lambda', `function:${name}`) },
};

/** The value of Ref: a name, a queue's URL, or a secret's ARN. */
export function referenceTo(resource: Named, { sqs }: Endpoints): string {
  const name = physicalName(resource);
  if (resource.Type === 'AWS::SecretsManager::Secret') return attributeOf('Arn', resource);
  return resource.Type === 'AWS::SQS::Queue' ? `${sqs}/${ACCOUNT}/${name}` : name;
}

/** The value of Fn::GetAtt. For resources that do not exist here it is a name that nothing looks up. */
export function attributeOf(attribute: string, resource: Named): string {
  if (attribute === 'Arn')
    return physical[resource.Type]?.arn(physicalName(resource)) ?? arn('none', resource.id);
  if (attribute === 'QueueName') return physicalName(resource);
  return `${resource.id}.${attribute}`;
}

/** The name of a resource: from the template, else generated like CloudFormation's. */
export function physicalName(resource: Named): string {
  return physical[resource.Type]?.name(resource) ?? resource.id;
}

function named(property: string) {
  return ({ properties, stackName, id }: Named): string => {
    const own = properties(property);
    return typeof own === 'string' ? own : `${stackName}-${id}`;
  };
}

const arn = (service: string, rest: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;
