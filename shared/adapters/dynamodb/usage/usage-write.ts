/** A conditional update of a usage item, as DynamoDB expressions. */
export type UsageWrite = {
  condition: string[];
  set: string[];
  remove?: string;
  add?: string;
  values: Record<string, unknown>;
  names: Record<string, string>;
};
