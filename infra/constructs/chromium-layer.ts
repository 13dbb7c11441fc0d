import { dirname } from 'node:path';
import { AssetHashType } from 'aws-cdk-lib';
import { Architecture, Code, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

export type Chromium = { folder: string; version: string; hash: string; released: string };

/** Chromium unpacked at /opt/chromium, so that a cold start has nothing to inflate. */
export function chromiumLayer(scope: Construct, { folder, version, hash }: Chromium): LayerVersion {
  return new LayerVersion(scope, 'Chromium', {
    description: `Chromium ${version}`,
    // Without it every synthesis would hash 220 MB.
    code: Code.fromAsset(dirname(folder), {
      assetHash: `chromium-${hash}`,
      assetHashType: AssetHashType.CUSTOM,
    }),
    compatibleArchitectures: [Architecture.X86_64],
    compatibleRuntimes: [Runtime.NODEJS_24_X],
  });
}
