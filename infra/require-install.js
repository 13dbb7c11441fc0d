import { existsSync } from 'node:fs';

/** For scripts of package.json. Runs on any Node.js, before there is another one. */
if (!existsSync(new URL('../node_modules/.bin/node', import.meta.url))) {
  console.error('Run "npm ci" first: it installs what this command needs.');
  process.exit(1);
}
