import { chromiumVersion } from './constructs/unpack-chromium.ts';
import release from './chromium.json' with { type: 'json' };

/** The release day of the deployed Chromium. Throws if infra/chromium.json is about another version. */
export async function chromiumReleased(): Promise<string> {
  const version = await chromiumVersion();
  if (release.version === version) return release.released;
  throw new Error(
    `infra/chromium.json is about Chromium ${release.version}, but ${version} is installed. Run: npm run chromium:age -- --write`,
  );
}
