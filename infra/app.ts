import { App } from 'aws-cdk-lib';
import { sitefetch } from './sitefetch.ts';

const app = new App();
await sitefetch(app);
app.synth();
