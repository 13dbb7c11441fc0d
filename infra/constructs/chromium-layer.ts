import { dirname } from 'node:path';
import { AssetHashType } from 'aws-cdk-lib';
import { Architecture, Code, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

export type Chromium = { folder: string; version: string };

/** Chromium unpacked at /opt/chromium: read-only on Lambda, and nothing to inflate at a cold start. */
export function chromiumLayer(scope: Construct, { folder, version }: Chromium): LayerVersion {
  return new LayerVersion(scope, 'Chromium', {
    description: `Chromium ${version}`,
    // Named by its version, so that 220 MB need not be read to see that they have not changed.
    code: Code.fromAsset(dirname(folder), {
      assetHash: `chromium-${version}`,
      assetHashType: AssetHashType.CUSTOM,
    }),
    compatibleArchitectures: [Architecture.X86_64],
    compatibleRuntimes: [Runtime.NODEJS_24_X],
  });
}
