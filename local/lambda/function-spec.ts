export type FunctionSpec = {
  name: string;
  label: string;
  arn: string;
  taskRoot: string;
  handler: string;
  timeoutSeconds: number;
  memoryMb: number;
  variables: Record<string, string>;
};
