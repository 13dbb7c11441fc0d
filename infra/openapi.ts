import { writeFileSync } from 'node:fs';
import { openapi } from '../shared/api/openapi.ts';

const file = new URL('../docs/openapi.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(openapi(), null, 2)}\n`);
