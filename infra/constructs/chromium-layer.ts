import { dirname } from 'node:path';
import { AssetHashType } from 'aws-cdk-lib';
import { Architecture, Code, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

/** `hash` stands for all that is in the folder. */
export type Chromium = { folder: string; version: string; hash: string; released: string };

/** Chromium unpacked at /opt/chromium: read-only on Lambda, and nothing to inflate at a cold start. */
export function chromiumLayer(scope: Construct, { folder, version, hash }: Chromium): LayerVersion {
  return new LayerVersion(scope, 'Chromium', {
    description: `Chromium ${version}`,
    // Not the hash of 220 MB, which every synthesis would have to read.
    code: Code.fromAsset(dirname(folder), {
      assetHash: `chromium-${hash}`,
      assetHashType: AssetHashType.CUSTOM,
    }),
    compatibleArchitectures: [Architecture.X86_64],
    compatibleRuntimes: [Runtime.NODEJS_24_X],
  });
}
