import { RemovalPolicy, type Stack, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Stage } from '../stages.ts';

/** Well over the 256 bits of the key that is derived from it. */
const LENGTH = 64;

/** The secret that signing secrets are encrypted with. Without it all of them are lost. */
export function webhookKey(stack: Stack, { tables, existingTables }: Stage): Pick<Secret, 'secretArn'> {
  const arn = existingTables?.webhookKeyArn;
  if (arn !== undefined) return Secret.fromSecretCompleteArn(stack, 'WebhookKey', arn);
  const secret = new Secret(stack, 'WebhookKey', {
    description: 'Encrypts the signing secrets of webhook endpoints.',
    generateSecretString: { passwordLength: LENGTH, excludePunctuation: true },
    removalPolicy:
      tables.removalPolicy === RemovalPolicy.DESTROY ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  });
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason: 'Rotated, it could not decrypt what it has encrypted. Callers rotate the signing secrets.',
  });
  return secret;
}
