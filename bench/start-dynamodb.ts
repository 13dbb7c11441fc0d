import { startDynamodbLocal } from '../test/support/dynamodb-local.ts';
import { dynamodbWorld } from '../test/support/dynamodb-world.ts';
import { startChild } from './child.ts';

/** Starts an emulator by name: `dynalite` on disk, or `dynamodb-local`, which needs Java. */
export async function startDynamodb(emulator: string) {
  const stack = new AsyncDisposableStack();
  const url =
    emulator === 'dynalite'
      ? `http://127.0.0.1:${stack.use(await startChild('bench/dynalite.ts')).line}`
      : stack.use(await startDynamodbLocal()).url;
  const world = stack.use(await dynamodbWorld(url));
  return { ...world, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
