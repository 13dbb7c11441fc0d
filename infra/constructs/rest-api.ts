import { Duration } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  AuthorizationType,
  type CfnRestApi,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  ResponseTransferMode,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { FunctionName } from '../../shared/config.ts';
import { routes } from '../../shared/api/routes.ts';
import type { StageName } from '../stage-names.ts';
import type { Stage } from '../stages.ts';
import { addGatewayResponses } from './gateway-responses.ts';

type AnsweringFunction = (typeof routes)[number]['function'] & FunctionName;

type Answering = Readonly<Record<AnsweringFunction, Function>>;

/** The gateway gives up after the function's own end, so that its timeout never cuts an answer short. */
const GRACE = Duration.seconds(2);

/** The API without its routes, so that functions can be told its name before it is told of them; and where it logs. */
export function restApi(
  scope: Construct,
  name: StageName,
  stage: Stage,
): { api: RestApi; accessLogs: LogGroup } {
  const accessLogs = new LogGroup(scope, 'AccessLogs', stage.logs);
  const api = new RestApi(scope, 'Api', {
    restApiName: `sitefetch-${name}`,
    // An edge endpoint cuts a stream that is idle for 30 s, a regional one after 5 minutes.
    endpointConfiguration: { types: [EndpointType.REGIONAL] },
    // Callers of a domain of the operator's own come past the firewall and the domain's TLS by no other name.
    disableExecuteApiEndpoint: stage.domain !== undefined,
    // Access logs need it once per account; it stays there when the stack goes.
    cloudWatchRole: true,
    deployOptions: {
      stageName: name,
      tracingEnabled: true,
      throttlingRateLimit: stage.throttle.rate,
      throttlingBurstLimit: stage.throttle.burst,
      accessLogDestination: new LogGroupLogDestination(accessLogs),
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLog)),
    },
    defaultMethodOptions: { authorizationType: AuthorizationType.NONE },
  });
  // Without it the endpoint takes TLS 1.0. CDK has the property on the resource alone.
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies-list.html
  (api.node.defaultChild as CfnRestApi).securityPolicy = SecurityPolicy.TLS_1_2;
  addGatewayResponses(api);
  return { api, accessLogs };
}

/** No path but the route's, and no query: both hold what the caller wants scraped. */
const accessLog = {
  time: AccessLogField.contextRequestTime(),
  stage: AccessLogField.contextStage(),
  request_id: AccessLogField.contextRequestId(),
  // The function's line has the same, so that each is found by the other.
  xray_trace_id: AccessLogField.contextXrayTraceId(),
  function_request_id: '$context.integration.requestId',
  source_ip: AccessLogField.contextIdentitySourceIp(),
  method: AccessLogField.contextHttpMethod(),
  route: AccessLogField.contextResourcePath(),
  status: AccessLogField.contextStatus(),
  bytes: AccessLogField.contextResponseLength(),
  latency_ms: AccessLogField.contextResponseLatency(),
  gateway_error: AccessLogField.contextErrorResponseType(),
  integration_status: AccessLogField.contextIntegrationStatus(),
  integration_error: AccessLogField.contextIntegrationErrorMessage(),
};

/** The name that callers reach the API by. Not `api.url`, which exists only after the functions do. */
export function hostOf(api: RestApi): string {
  const { region, urlSuffix } = api.stack;
  return `${api.restApiId}.execute-api.${region}.${urlSuffix}`;
}

/**
 * One resource per path of the route list. The function answers every method, so that 405 has our shape and Allow. All
 * other paths go to `meta`: the gateway itself says 403 to a path that it does not know, and takes an API key for a
 * broken signature.
 */
export function addRoutes(api: RestApi, answering: Answering): void {
  const byPath = new Map(routes.map((route) => [route.path, route.function]));
  for (const [path, name] of byPath) {
    api.root.resourceForPath(path).addMethod('ANY', streamingFrom(answering[name]));
  }
  for (const rest of ['/', '/{proxy+}']) {
    api.root.resourceForPath(rest).addMethod('ANY', streamingFrom(answering.meta));
  }
}

function streamingFrom(target: Function): LambdaIntegration {
  return new LambdaIntegration(target, {
    responseTransferMode: ResponseTransferMode.STREAM,
    ...(target.timeout && { timeout: target.timeout.plus(GRACE) }),
    allowTestInvoke: false,
  });
}
