import type { UsageWrite } from './usage-write.ts';

/** The parts of an UpdateItem request. */
export function usageExpressions({ set, remove, add, condition, values, names }: UsageWrite) {
  const sets = set.length > 0 ? `SET ${set.join(', ')}` : '';
  const actions = [sets, remove ? `REMOVE ${remove}` : '', add ? `ADD ${add}` : ''];
  return {
    // An admission without anything to hold is only a condition.
    UpdateExpression: actions.filter(Boolean).join(' ') || undefined,
    ...(condition.length > 0 && { ConditionExpression: condition.join(' AND ') }),
    ExpressionAttributeValues: nonEmpty(values),
    ExpressionAttributeNames: nonEmpty(names),
  };
}

/** DynamoDB rejects an empty map of names or values. */
function nonEmpty<T extends object>(map: T): T | undefined {
  return Object.keys(map).length > 0 ? map : undefined;
}
