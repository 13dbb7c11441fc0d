import type { LambdaFunction } from './lambda/lambda-function.ts';

export function functionIn(
  functions: ReadonlyMap<string, LambdaFunction>,
  nameOrArn: string,
): LambdaFunction {
  const found = functions.get(nameOrArn.split(':').at(-1) ?? '');
  if (!found) throw new Error(`There is no function ${nameOrArn}.`);
  return found;
}
