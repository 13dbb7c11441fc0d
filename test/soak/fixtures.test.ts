import { fixtureSuite } from '../support/stack/fixture-suite.ts';

await fixtureSuite({ isTaken: () => true, isJobToo: true });
