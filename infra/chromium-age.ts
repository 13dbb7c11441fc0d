import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { chromiumVersion } from './constructs/unpack-chromium.ts';
import { DAY_MS } from '../shared/time/units.ts';

const PACKAGE = '@sparticuz/chromium';
const HELP = `Usage: npm run -s chromium:age -- [--write]

Prints the age of the installed Chromium and the newer versions in the npm registry. --write stores its release day in
infra/chromium.json, which the alarm ChromiumAge reads.`;

const options = {
  write: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const { values } = parseArgs({ options });
if (values.help) console.log(HELP);
else await report(values.write);

async function report(isWritten: boolean): Promise<void> {
  const version = await chromiumVersion();
  const published = await publishedVersions();
  const date = published.get(version);
  if (date === undefined) throw new Error(`The npm registry has no ${PACKAGE} ${version}.`);
  const released = dayOf(date);
  console.log(`Chromium ${version}, published ${released}: ${daysSince(date)} days ago.`);
  for (const [newer, day] of [...published].filter(([, each]) => each > date))
    console.log(
      `Newer: ${newer}, published ${dayOf(day)}. npm install --save-dev --save-exact ${PACKAGE}@${newer}`,
    );
  if (isWritten) {
    const file = new URL('chromium.json', import.meta.url);
    await writeFile(file, `${JSON.stringify({ version, released }, null, 2)}\n`);
  }
}

async function publishedVersions(): Promise<Map<string, Date>> {
  const { stdout } = await promisify(execFile)('npm', ['view', PACKAGE, 'time', '--json']);
  const times = z.record(z.string(), z.coerce.date()).parse(JSON.parse(stdout));
  const versions = Object.entries(times).filter(([version]) => /^\d+\.\d+\.\d+$/.test(version));
  return new Map(versions.sort(([, a], [, b]) => a.getTime() - b.getTime()));
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function daysSince(date: Date): number {
  return Math.floor((Date.now() - date.getTime()) / DAY_MS);
}
