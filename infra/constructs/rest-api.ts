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
import { pageRoutes } from '../../shared/api/page-routes.ts';
import { routes } from '../../shared/api/routes.ts';
import type { StageName } from '../stage-names.ts';
import type { Stage } from '../stages.ts';
import { webOriginOf } from '../playground.ts';
import { addGatewayErrors, addGatewayPages } from './gateway-responses.ts';

type AnsweringFunction = (typeof routes)[number]['function'] & FunctionName;

type Answering = Readonly<Record<AnsweringFunction, Function>>;

/** The gateway outlasts the function, so that it never truncates a response. */
const GRACE = Duration.seconds(2);

type Options = {
  name: StageName;
  stage: Stage;
  /** The operator's own domain, if any; the default one is then disabled. */
  domain: Stage['domain'];
  /** Ends the name of the API for people, whose errors are pages. */
  suffix?: '-dashboard';
};

/** An API without its routes, as functions need its name first; and its access log. */
export function restApi(
  scope: Construct,
  { name, stage, domain, suffix }: Options,
): { api: RestApi; accessLogs: LogGroup } {
  const accessLogs = new LogGroup(scope, 'AccessLogs', stage.logs);
  const api = new RestApi(scope, 'Api', {
    restApiName: `sitefetch-${name}${suffix ?? ''}`,
    // An edge endpoint closes streams that are idle for 30 s, a regional one after 5 minutes.
    endpointConfiguration: { types: [EndpointType.REGIONAL] },
    disableExecuteApiEndpoint: domain !== undefined,
    // Their bytes would be read as text.
    ...(suffix === undefined && { binaryMediaTypes: ['multipart/form-data'] }),
    // Access logs need it once per account. It outlives the stack.
    cloudWatchRole: suffix === undefined,
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
  // CDK's own output repeats ApiUrl, with a slash.
  api.node.tryRemoveChild('Endpoint');
  // The default accepts TLS 1.0. Only the L1 construct has this property.
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies-list.html
  (api.node.defaultChild as CfnRestApi).securityPolicy = SecurityPolicy.TLS_1_2;
  // A custom domain maps to the stage, so its name is not in the path.
  if (suffix === '-dashboard') addGatewayPages(api, domain ? '' : '/$context.stage');
  else addGatewayErrors(api, urlOf(api, name, domain), webOriginOf(stage));
  return { api, accessLogs };
}

/** The route without path and query, which contain targets and job ids. */
const accessLog = {
  time: AccessLogField.contextRequestTime(),
  stage: AccessLogField.contextStage(),
  request_id: AccessLogField.contextRequestId(),
  // Also in the function's log line, to correlate both.
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

/** The API's host name. `api.url` would depend on the functions. */
export function hostOf(api: RestApi): string {
  const { region, urlSuffix } = api.stack;
  return `${api.restApiId}.execute-api.${region}.${urlSuffix}`;
}

/** The URL of an API, without a trailing slash. */
export function urlOf(api: RestApi, name: StageName, domain: Stage['domain']): string {
  return domain ? `https://${domain.name}` : `https://${hostOf(api)}/${name}`;
}

/**
 * Routes every path of the dashboard, known or not, to one function. A permission for each would fill its
 * policy of 20 KB: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export function addPageRoutes(api: RestApi, handler: Function): void {
  const paths = new Set([...pageRoutes.map(({ path }) => path), '/{proxy+}']);
  const integration = new LambdaIntegration(handler, { scopePermissionToMethod: false });
  for (const path of paths) api.root.resourceForPath(path).addMethod('ANY', integration);
}

/**
 * One resource per path. Functions receive every method, so that a 405 has the usual format and Allow. Other
 * paths go to `meta`, because the gateway's own response to an unknown path is a 403.
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
