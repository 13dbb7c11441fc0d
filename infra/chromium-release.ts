import { chromiumVersion } from './constructs/unpack-chromium.ts';
import release from './chromium.json' with { type: 'json' };

/** The day on which the Chromium that is deployed was published. Throws if it is noted of another version. */
export async function chromiumReleased(): Promise<string> {
  const version = await chromiumVersion();
  if (release.version === version) return release.released;
  throw new Error(
    `infra/chromium.json is of Chromium ${release.version}, and ${version} is installed: npm run chromium:age -- --write`,
  );
}
