import { fixtureSuite } from '../support/fixture-suite.ts';

await fixtureSuite({ isTaken: () => true, isJobToo: true });
