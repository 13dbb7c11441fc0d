import { CfnSamplingRule } from 'aws-cdk-lib/aws-xray';
import type { Construct } from 'constructs';
import type { StageName } from '../stage-names.ts';

/** Share of requests to trace, instead of X-Ray's default of 5 %. */
const RATE = 0.005;

/** Traces one request a second, and RATE of the rest. Only the API samples; functions follow its decision. */
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
