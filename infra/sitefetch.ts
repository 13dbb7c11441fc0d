import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib';
import { bundleFunctions } from './constructs/bundle-functions.ts';
import { chromiumHash, chromiumVersion, unpackChromium } from './constructs/unpack-chromium.ts';
import { assertFonts } from './constructs/script-fonts.ts';
import { chromiumReleased } from './chromium-release.ts';
import { allStacks } from './all-stacks.ts';
import { oneOf } from './one-of.ts';
import { isStageName, stageNames } from './stage-names.ts';
import { type Stage, stages } from './stages.ts';

/** Adds the stacks of a stage to the app. The context names the stage. */
export async function sitefetch(app: App): Promise<void> {
  const name: unknown = app.node.tryGetContext('stage') ?? 'dev';
  if (!isStageName(name)) throw new Error(`The stage must be ${oneOf(stageNames)}: -c stage=dev`);
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
