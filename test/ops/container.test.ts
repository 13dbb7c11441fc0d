import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TEN_MINUTES = 600_000;
const hasEngine =
  spawnSync('docker', ['compose', 'version']).status === 0 && spawnSync('docker', ['info']).status === 0;

const compose = async (...args: string[]) => {
  const project = ['compose', '--project-name', 'sitefetch-test'];
  return (await promisify(execFile)('docker', [...project, ...args], { cwd: ROOT })).stdout;
};

test.runIf(hasEngine)(
  'the container becomes healthy as a user without rights, and keeps its key over a restart',
  async () => {
    try {
      await compose('up', '--build', '--wait', '--detach');
      const shown = async (name: string) => {
        const logs = await compose('logs', '--tail', '30', '--no-log-prefix', 'sitefetch');
        return new RegExp(`${name} +(\\S+)`).exec(logs)?.[1] ?? '';
      };
      const first = await shown('API key');
      expect(first).toMatch(/^sf_test_/);
      expect((await compose('exec', 'sitefetch', 'id', '--user', '--name')).trim()).toBe('node');
      const page = async () => {
        const target = encodeURIComponent(`${await shown('Demo site')}/js`);
        const url = `http://127.0.0.1:3000/api/v1/scraper?render_js=true&url=${target}`;
        return (await fetch(url, { headers: { Authorization: `Bearer ${first}` } })).text();
      };
      expect(await page()).toContain('This text was fetched by JavaScript');
      await compose('restart');
      await compose('up', '--wait', '--detach');
      expect(await shown('API key')).toBe(first);
      expect(await page()).toContain('This text was fetched by JavaScript');
    } finally {
      await compose('down', '--volumes');
    }
  },
  TEN_MINUTES,
);
