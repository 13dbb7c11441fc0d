import { writeFile } from 'node:fs/promises';
import { takePictures } from './support/stack/dashboard-pictures.ts';

/** `npm run pictures`: the pictures of the dashboard in the documentation. */
for await (const { name, png } of takePictures())
  await writeFile(new URL(`../docs/dashboard/${name}.png`, import.meta.url), png);
