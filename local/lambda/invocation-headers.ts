import type { Invocation } from './invocation.ts';

export function invocationHeaders(invocation: Invocation, functionArn: string, deadline: number) {
  return {
    'Content-Type': 'application/json',
    'Lambda-Runtime-Aws-Request-Id': invocation.requestId,
    'Lambda-Runtime-Deadline-Ms': String(deadline),
    'Lambda-Runtime-Invoked-Function-Arn': functionArn,
    'Lambda-Runtime-Trace-Id': traceId(invocation.requestId),
    ...(invocation.tenantId !== undefined && { 'Lambda-Runtime-Aws-Tenant-Id': invocation.tenantId }),
    ...(invocation.clientContext !== undefined && {
      'Lambda-Runtime-Client-Context': Buffer.from(invocation.clientContext, 'base64').toString(),
    }),
  };
}

/** https://docs.aws.amazon.com/xray/latest/devguide/xray-api-sendingdata.html#xray-api-traceids */
function traceId(requestId: string): string {
  const seconds = Math.floor(Date.now() / 1_000).toString(16);
  return `Root=1-${seconds}-${requestId.replaceAll('-', '').slice(0, 24)};Sampled=0`;
}
