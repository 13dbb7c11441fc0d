import { REPEATS } from '../fixtures/settled/repeats.ts';
import { settledSuite } from '../support/browser/settled-suite.ts';

await settledSuite(({ name }) => REPEATS.has(name));
