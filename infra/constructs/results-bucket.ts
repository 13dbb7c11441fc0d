import { Duration, RemovalPolicy, type Stack, Validations } from 'aws-cdk-lib';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { MAX_UPLOAD_BYTES } from '../../shared/contract/batches/batch-request.ts';

export function resultsBucket(stack: Stack): Bucket {
  const bucket = new Bucket(stack, 'Results', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    removalPolicy: RemovalPolicy.RETAIN,
    lifecycleRules: [
      {
        id: 'expire-results',
        prefix: 'results/',
        expiration: Duration.days(30),
        abortIncompleteMultipartUploadAfter: Duration.days(1),
      },
      {
        // A link takes any size, and a batch starts with none of these.
        id: 'expire-too-large-uploads',
        prefix: 'results/',
        objectSizeGreaterThan: MAX_UPLOAD_BYTES,
        expiration: Duration.days(1),
      },
    ],
  });
  // CloudFormation declares it as text, and the CDK writes a number.
  const { defaultChild } = bucket.node;
  const path = 'LifecycleConfiguration.Rules.1.ObjectSizeGreaterThan';
  (defaultChild as CfnBucket).addPropertyOverride(path, String(MAX_UPLOAD_BYTES));
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason:
      'Only functions of the service can access the bucket, and each logs its reads and writes per request.',
  });
  return bucket;
}
