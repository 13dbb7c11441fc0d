import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib';
import { bundleFunctions } from './constructs/bundle-functions.ts';
import { chromiumHash, chromiumVersion, unpackChromium } from './constructs/unpack-chromium.ts';
import { assertFonts } from './constructs/script-fonts.ts';
import { isStageName, stageFault, type StageName } from './stage-names.ts';
import { type Stage, stages } from './stages.ts';
import { dashboardStack } from './dashboard-stack.ts';
import { identityStack } from './identity-stack.ts';
import type { Code } from './resources.ts';
import { serviceStack } from './service-stack.ts';
import { storageStack } from './storage-stack.ts';
import release from './chromium.json' with { type: 'json' };

/** Adds the stacks of a stage to the app. The context names the stage. */
export async function sitefetch(app: App): Promise<void> {
  const name: unknown = app.node.tryGetContext('stage') ?? 'dev';
  if (!isStageName(name)) throw new Error(stageFault(name));
  const stage: Stage = stages[name];
  await assertFonts(stage);

  // Safe to remove at the end: constructs copy their assets into the app's output at once.
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'sitefetch-bundles-'));
  const [bundles, folder, version, hash, released] = await Promise.all([
    bundleFunctions(scratch.path),
    unpackChromium(),
    chromiumVersion(),
    chromiumHash(),
    chromiumReleased(),
  ]);
  const code = { bundles, chromium: { folder, version, hash, released } };
  allStacks(app, name, stage, code);
}

/** What `npm start` may run a model with, whose endpoint it sets itself. */
function localModel(app: App): Pick<Stage, 'model'> {
  if (app.node.tryGetContext('model') !== 'local') return {};
  return { model: { kind: 'openai', baseUrl: 'http://127.0.0.1', name: 'local', structured: 'none' } };
}

/** Storage and identity, which are kept, then the API and the dashboard on them. */
export function allStacks(app: App, name: StageName, chosen: Stage, code: Code): void {
  const stage = { ...localModel(app), ...chosen };
  const storage = storageStack(app, name, stage);
  const identity = identityStack(app, name, stage);
  const service = serviceStack(app, name, stage, storage, code);
  dashboardStack(app, name, { stage, code, service, ...storage, ...identity });
}

/** The release day of the deployed Chromium. Throws if infra/chromium.json is about another version. */
export async function chromiumReleased(): Promise<string> {
  const version = await chromiumVersion();
  if (release.version === version) return release.released;
  throw new Error(
    `infra/chromium.json is about Chromium ${release.version}, but ${version} is installed. Run: npm run chromium:age -- --write`,
  );
}
