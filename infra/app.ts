import { App } from 'aws-cdk-lib';
import { stageFault } from './stage-names.ts';
import { sitefetch } from './sitefetch.ts';

const app = new App();
const fault = stageFault(app.node.tryGetContext('stage') ?? 'dev');
if (fault !== undefined) {
  console.error(fault);
  process.exit(1);
}
await sitefetch(app);
app.synth();
