import { writeFileSync } from 'node:fs';
import { openapi } from '../shared/api/openapi.ts';
import { errorList } from './docs/error-list.ts';

const inDocs = (name: string) => new URL(`../docs/${name}`, import.meta.url);
writeFileSync(inDocs('openapi.json'), `${JSON.stringify(openapi(), null, 2)}\n`);
writeFileSync(inDocs('errors.md'), errorList());
