import type { App } from 'aws-cdk-lib';
import { dashboardStack } from './dashboard-stack.ts';
import { identityStack } from './identity-stack.ts';
import type { Code } from './resources.ts';
import { serviceStack } from './service-stack.ts';
import type { StageName } from './stage-names.ts';
import type { Stage } from './stages.ts';
import { storageStack } from './storage-stack.ts';

/** Storage and identity, which are kept, then the API and the dashboard on them. */
export function allStacks(app: App, name: StageName, stage: Stage, code: Code): void {
  const storage = storageStack(app, name, stage);
  const identity = identityStack(app, name, stage);
  const service = serviceStack(app, name, stage, storage, code);
  dashboardStack(app, name, { stage, code, service, ...storage, ...identity });
}
