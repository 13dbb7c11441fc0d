import { fixtureSuite } from '../support/fixture-suite.ts';

await fixtureSuite(({ render_js }) => !render_js);
