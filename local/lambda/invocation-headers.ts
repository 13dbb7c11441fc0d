import type { Invocation } from './invocation.ts';

export function invocationHeaders(invocation: Invocation, functionArn: string, deadline: number) {
  return {
    'Content-Type': 'application/json',
    'Lambda-Runtime-Aws-Request-Id': invocation.requestId,
    'Lambda-Runtime-Deadline-Ms': String(deadline),
    'Lambda-Runtime-Invoked-Function-Arn': functionArn,
    'Lambda-Runtime-Trace-Id': invocation.traceHeader,
    ...(invocation.tenantId !== undefined && { 'Lambda-Runtime-Aws-Tenant-Id': invocation.tenantId }),
    ...(invocation.clientContext !== undefined && {
      'Lambda-Runtime-Client-Context': Buffer.from(invocation.clientContext, 'base64').toString(),
    }),
  };
}
