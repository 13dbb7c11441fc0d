import { fixtureSuite } from '../support/fixture-suite.ts';

// The same as jobs is a soak test.
await fixtureSuite(() => false);
