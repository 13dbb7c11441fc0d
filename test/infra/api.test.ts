import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { ErrorBody } from '../../shared/contract/error-body.ts';
import { catalogue } from '../../shared/errors.ts';
import { routes } from '../../shared/api/routes.ts';
import { everyOption, named, ofType, synthesised, the } from './synthesised.ts';

const { service, serviceStack } = await synthesised();
const methods = new Map(
  ofType(service, 'AWS::ApiGateway::Method').map(([, { Properties }]) => [
    pathOf(Properties.ResourceId),
    Properties,
  ]),
);

test.each(routes)('routes: $method $path streams from its function', ({ path, function: name }) => {
  const method = methods.get(path);
  const functionId = `${name.charAt(0).toUpperCase()}${name.slice(1)}Function`;
  expect(method).toMatchObject({
    HttpMethod: 'ANY',
    AuthorizationType: 'NONE',
    Integration: { Type: 'AWS_PROXY', ResponseTransferMode: 'STREAM' },
  });
  const { Uri, TimeoutInMillis } = method?.Integration as { Uri: unknown; TimeoutInMillis: number };
  expect(JSON.stringify(Uri)).toContain('/response-streaming-invocations');
  expect(named(Uri)).toContain(functionId);
  const { Timeout } = the(service, 'AWS::Lambda::Function', functionId).Properties;
  expect(TimeoutInMillis).toBe((Number(Timeout) + 2) * 1_000);
});

test('routes have no path besides the listed ones and the catch-all', () => {
  const listed = new Set<string>(routes.map(({ path }) => path));
  expect([...methods.keys()].sort()).toEqual(['', '/{proxy+}', ...listed].sort());
  for (const path of ['', '/{proxy+}'])
    expect(named((methods.get(path)?.Integration as { Uri: unknown }).Uri)).toMatch(/^MetaFunction\//);
});

test('routes have one function per path', () => {
  const functions = Map.groupBy(routes, ({ path }) => path)
    .values()
    .map((sharing) => new Set(sharing.map(({ function: name }) => name)).size);
  expect(Math.max(...functions)).toBe(1);
});

const stage = ofType(service, 'AWS::ApiGateway::Stage')[0]?.[1].Properties;

test('the API is regional', () => {
  expect(the(service, 'AWS::ApiGateway::RestApi', 'Api').Properties.EndpointConfiguration).toEqual({
    Types: ['REGIONAL'],
  });
});

test('forms reach the functions of the API with their bytes', () => {
  expect(the(service, 'AWS::ApiGateway::RestApi', 'Api').Properties.BinaryMediaTypes).toEqual([
    'multipart/form-data',
  ]);
});

test('the API requires TLS 1.2', () => {
  expect(the(service, 'AWS::ApiGateway::RestApi', 'Api').Properties.SecurityPolicy).toBe('TLS_1_2');
});

test('the API limits the requests of all callers together', () => {
  expect(stage?.MethodSettings).toMatchObject([
    {
      HttpMethod: '*',
      ResourcePath: '/*',
      ThrottlingRateLimit: 100,
      ThrottlingBurstLimit: 200,
      DataTraceEnabled: false,
    },
  ]);
});

test('the API is traced', () => {
  expect(stage?.TracingEnabled).toBe(true);
});

test('the API traces one request in 200', () => {
  const rule = ofType(service, 'AWS::XRay::SamplingRule')[0]?.[1].Properties.SamplingRule;
  expect(rule).toMatchObject({
    FixedRate: 0.005,
    ReservoirSize: 1,
    ServiceName: `${String(the(service, 'AWS::ApiGateway::RestApi', 'Api').Properties.Name)}/dev`,
    ServiceType: 'AWS::ApiGateway::Stage',
  });
  expect(stage?.StageName).toBe('dev');
});

test("the API logs the ids that lead to the function's log line", () => {
  const { Format: format } = stage?.AccessLogSetting as { Format: string };
  expect(JSON.parse(format)).toMatchObject({
    xray_trace_id: '$context.xrayTraceId',
    function_request_id: '$context.integration.requestId',
  });
});

test('the API logs each request as JSON, without path, query and headers', () => {
  const { Format: format, DestinationArn: destination } = stage?.AccessLogSetting as {
    Format: string;
    DestinationArn: unknown;
  };
  expect(JSON.parse(format)).toMatchObject({ request_id: '$context.requestId', status: '$context.status' });
  expect(format).not.toMatch(/\$context\.path"|query|header|authorizer/i);
  expect(named(destination)).toBe('AccessLogs');
  expect(the(service, 'AWS::Logs::LogGroup', 'AccessLogs').Properties.RetentionInDays).toBe(7);
});

test('the output ApiUrl is the base URL without a slash at its end, and no other output repeats it', () => {
  const { Outputs } = Template.fromStack(serviceStack).toJSON() as { Outputs: Record<string, object> };
  expect(
    Object.keys(Outputs).filter((name) => !/^(Exports|Jobs|Accounts|Activity|Webhook|Results)/.test(name)),
  ).toEqual(['ApiUrl']);
  expect(JSON.stringify(Outputs.ApiUrl)).toMatch(/"https:.*\/dev"\]\]\}\}$/);
});

const responses = ofType(service, 'AWS::ApiGateway::GatewayResponse').map(
  ([, { Properties }]) =>
    ({ ...Properties, ResponseTemplates: textsIn(Properties.ResponseTemplates) }) as GatewayResponse,
);

test.each(responses)(
  'errors of API Gateway itself: $ResponseType has the format of every error',
  ({ ResponseTemplates, StatusCode, ResponseParameters }) => {
    const body = ErrorBody.strict().parse(JSON.parse(ResponseTemplates['application/json']));
    expect(body).toMatchObject({
      error: catalogue[body.code].title,
      request_id: '$context.requestId',
      doc_url: `https://api.execute-api.region.example/dev/docs/errors/${body.code}`,
    });
    const reason = Number(StatusCode) < 500 ? 'refused' : 'no_page';
    expect(ResponseParameters['gatewayresponse.header.X-Credits-Reason']).toBe(`'${reason}'`);
    expect(StatusCode).toBe(String(catalogue[body.code].status));
    expect(ResponseParameters).toMatchObject({
      'gatewayresponse.header.X-Request-Id': 'context.requestId',
      'gatewayresponse.header.X-Credits-Used': "'0'",
      'gatewayresponse.header.Cache-Control': "'no-store'",
      'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
      'gatewayresponse.header.Content-Type': "'application/json; charset=utf-8'",
    });
  },
);

test.each([
  ['MISSING_AUTHENTICATION_TOKEN', 'not_found'],
  ['INVALID_SIGNATURE', 'not_found'],
  ['REQUEST_TOO_LARGE', 'request_too_large'],
  ['THROTTLED', 'rate_limited'],
  ['WAF_FILTERED', 'rate_limited'],
  ['INTEGRATION_TIMEOUT', 'timeout'],
  ['INTEGRATION_FAILURE', 'internal'],
  ['DEFAULT_4XX', 'invalid_request'],
  ['DEFAULT_5XX', 'internal'],
])('errors of API Gateway itself: %s is %s', (type, code) => {
  expect(JSON.parse(responseOf(type).ResponseTemplates['application/json'])).toMatchObject({ code });
});

test('throttling reports Retry-After in header and body', () => {
  const { ResponseTemplates, ResponseParameters } = responseOf('THROTTLED');
  expect(JSON.parse(ResponseTemplates['application/json'])).toMatchObject({ retry_after: 1 });
  expect(ResponseParameters['gatewayresponse.header.Retry-After']).toBe("'1'");
});

test("the firewall's rate limit reports Retry-After in header and body", () => {
  const { ResponseTemplates, ResponseParameters } = responseOf('WAF_FILTERED');
  expect(JSON.parse(ResponseTemplates['application/json'])).toMatchObject({ retry_after: 60 });
  expect(ResponseParameters['gatewayresponse.header.Retry-After']).toBe("'60'");
});

test('errors of API Gateway itself can be read by the playground, with every header, where the dashboard has an address', async () => {
  const withDomain = await synthesised({ stage: 'prod', but: everyOption });
  const withUrl = await synthesised({ but: { dashboardUrl: 'https://abc.example.com/dev' } });
  for (const [stack, origin] of [
    [withDomain, 'https://account.example.com'],
    [withUrl, 'https://abc.example.com'],
  ] as const) {
    const all = ofType(stack.service, 'AWS::ApiGateway::GatewayResponse');
    expect(all).toHaveLength(responses.length);
    for (const [, { Properties }] of all) {
      const { ResponseParameters } = Properties as GatewayResponse;
      const sent = Object.keys(ResponseParameters).map((name) => name.replace('gatewayresponse.header.', ''));
      const exposed = ResponseParameters['gatewayresponse.header.Access-Control-Expose-Headers'];
      expect(ResponseParameters['gatewayresponse.header.Access-Control-Allow-Origin']).toBe(`'${origin}'`);
      expect(exposed?.slice(1, -1).split(', ').sort()).toEqual(
        sent.filter((name) => !name.startsWith('Access-Control-')).sort(),
      );
    }
  }
  expect(JSON.stringify(responses)).not.toContain('Access-Control');
});

test.each(['REQUEST_TOO_LARGE', 'DEFAULT_4XX'])(
  'errors of API Gateway itself: %s mentions the limit for long URLs',
  (type) => {
    expect(responseOf(type).ResponseTemplates['application/json']).toContain('10,240 bytes');
  },
);

function responseOf(type: string): GatewayResponse {
  const response = responses.find(({ ResponseType }) => ResponseType === type);
  if (!response) throw new Error(`There is no response for ${type}.`);
  return response;
}

type GatewayResponse = {
  ResponseType: string;
  StatusCode: string;
  ResponseTemplates: { 'application/json': string };
  ResponseParameters: Readonly<Record<string, string>>;
};

/** Templates with names in the place of what CloudFormation puts in. */
function textsIn(templates: unknown): GatewayResponse['ResponseTemplates'] {
  const names: Readonly<Record<string, string>> = { 'AWS::Region': 'region', 'AWS::URLSuffix': 'example' };
  const { 'application/json': body } = templates as {
    'application/json': { 'Fn::Join': [string, unknown[]] };
  };
  const parts = body['Fn::Join'][1].map((part) =>
    typeof part === 'string' ? part : (names[(part as { Ref: string }).Ref] ?? 'api'),
  );
  return { 'application/json': parts.join('') };
}

/** The path of a resource, by climbing to the root. */
function pathOf(reference: unknown): string {
  const id = (reference as { Ref?: string }).Ref;
  if (id === undefined) return '';
  const { PathPart, ParentId } = (service[id]?.Properties ?? {}) as { PathPart: string; ParentId: unknown };
  return `${pathOf(ParentId)}/${PathPart}`;
}
