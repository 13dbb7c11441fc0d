export type FunctionSpec = {
  name: string;
  label: string;
  arn: string;
  taskRoot: string;
  handler: string;
  timeoutSeconds: number;
  memoryMb: number;
  /** Absent: Lambda's default, which ends a chain of invocations after 16. */
  recursiveLoop?: 'Allow' | 'Terminate';
  variables: Record<string, string>;
};
