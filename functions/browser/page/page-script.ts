import { readFileSync } from 'node:fs';

const IMPORT = /^import \{ ([\w, ]+) \} from '\.\/([a-z-]+)\.page\.js';$/gm;
const EXPORT = /^export (?=(?:async )?(?:function|const) (\w+))/gm;

/** An expression for the exports of `scripts/<name>.page.js`, whose functions a bundler would rewrite. */
export function pageScript(name: string): string {
  const text = readFileSync(new URL(`scripts/${name}.page.js`, import.meta.url), 'utf8');
  const exported = [...text.matchAll(EXPORT)].map(([, each]) => each);
  const body = text
    .replaceAll(IMPORT, (_, names: string, from: string) => `const { ${names} } = ${pageScript(from)};`)
    .replaceAll(EXPORT, '');
  return `(() => {\n${body}return { ${exported.join(', ')} };\n})()`;
}

/** The text of a function that calls one of a script. */
export const functionOf = (script: string, name: string) =>
  `function (...args) { return ${script}.${name}(...args); }`;

/** The same for a function that takes an element first, which is `this` of the text. */
export const methodOf = (script: string, name: string) =>
  `function (...args) { return ${script}.${name}(this, ...args); }`;
