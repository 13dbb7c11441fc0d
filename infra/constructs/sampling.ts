import { CfnSamplingRule } from 'aws-cdk-lib/aws-xray';
import type { Construct } from 'constructs';
import type { StageName } from '../stage-names.ts';

/** The share of requests that are traced, in place of X-Ray's 5 %. */
const RATE = 0.005;

/** Traces one request a second and a few more. Only the API asks X-Ray's rules; a function follows whoever calls it. */
export function sampling(scope: Construct, stage: StageName): void {
  new CfnSamplingRule(scope, 'Sampling', {
    samplingRule: {
      ruleName: `sitefetch-${stage}`,
      version: 1,
      priority: 1_000,
      fixedRate: RATE,
      reservoirSize: 1,
      // https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-configuring-xray-sampling-rules.html
      serviceName: `sitefetch-${stage}/${stage}`,
      serviceType: 'AWS::ApiGateway::Stage',
      resourceArn: '*',
      host: '*',
      httpMethod: '*',
      urlPath: '*',
    },
  });
}
