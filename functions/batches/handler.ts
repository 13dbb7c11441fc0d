import { submission } from '../../shared/adapters/submission.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { batchOperations } from './operations.ts';

const { fx, log, policy } = submission('batches');
const operations = batchOperations(fx, policy);

export const handler = httpFunction(fx, log, operations, 'streaming');
export const buffered = httpFunction(fx, log, operations, 'buffered');
