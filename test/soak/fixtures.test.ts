import { fixtureSuite } from '../support/fixture-suite.ts';

await fixtureSuite(() => true);
