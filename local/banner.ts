import { networkInterfaces } from 'node:os';
import { relative, resolve } from 'node:path';
import type { KeptCounts } from './demo-organization.ts';
import type { LocalStack } from './start-stack.ts';

type Facts = Pick<LocalStack, 'baseUrl' | 'dashboardUrl' | 'apiKey' | 'demoSite' | 'kept'> & {
  localDir: string;
  host: string;
};

export function banner({ baseUrl, dashboardUrl, apiKey, demoSite, kept, localDir, host }: Facts): string {
  const target = new URLSearchParams({ url: `${demoSite}/js`, render_js: 'true' });
  const rows = [
    ['Docs', `${baseUrl}/docs`],
    ['Dashboard', `${dashboardUrl}, mails in ${folderIn(localDir, 'mail')}`],
    ['API key', apiKey],
    ['Demo site', demoSite],
    ['State', `${folderIn(localDir, 'state')}, ${stateOf(kept)}`],
    ['Logs', folderIn(localDir, 'logs')],
    ...otherAddresses(host, baseUrl).map((url) => ['Open to others', url]),
  ];
  return `
Sitefetch runs at ${baseUrl}

${rows.map(([name = '', value = '']) => `  ${name.padEnd(WIDTH)}${value}`).join('\n')}

Try it:

  curl -H 'Authorization: Bearer ${apiKey}' '${baseUrl}/api/v1/scraper?${target.toString()}'

Ctrl-C stops it.
`;
}

const WIDTH = 'Open to others  '.length;

/** Relative to the working directory if it is inside. */
function folderIn(localDir: string, name: string): string {
  const folder = resolve(localDir, name);
  const path = relative('.', folder);
  return `${path.startsWith('..') ? folder : path}/`;
}

function stateOf({ organizations, jobs, unfinished }: KeptCounts): string {
  if (organizations === 0) return 'new';
  const open = unfinished === 0 ? '' : `, ${unfinished} of them unfinished`;
  return `kept: ${counted(organizations, 'organization')}, ${counted(jobs, 'job')}${open} (--fresh starts over)`;
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

function otherAddresses(host: string, baseUrl: string): string[] {
  const { port } = new URL(baseUrl);
  if (host !== '0.0.0.0' && host !== '::') return [];
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => `http://${address}:${port}`);
}
