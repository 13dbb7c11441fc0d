import { readFile } from 'node:fs/promises';
import chardet from 'chardet';
import japanese from 'encoding-japanese';
import jschardet from 'jschardet';

const mozilla = await loadChardetng();

/** What each library takes the bytes for, by its own name; nothing if it does not know. */
export const candidates = {
  chardet: (bytes) => chardet.detect(bytes),
  jschardet: (bytes) => jschardet.detect(Buffer.from(bytes)).encoding,
  'chardetng-wasm': (bytes) => {
    const detector = mozilla.EncodingDetector.new();
    detector.feed(bytes, true);
    return detector.guess(undefined, true);
  },
  'encoding-japanese': (bytes) => japanese.detect(bytes),
};

/** It is made for bundlers, which load its WebAssembly themselves. */
async function loadChardetng() {
  const file = (name) =>
    new URL(`node_modules/chardetng-wasm/dist/chardetng_wasm_bg.${name}`, import.meta.url);
  const source = await readFile(file('js'), 'utf8');
  const code = source
    .replace(/^import \* as wasm from .*$/m, 'let wasm; export const use = (given) => { wasm = given; };')
    .replaceAll(/typeof (Text\w+) === 'undefined' \?[^;]+;/g, '$1;');
  const exported = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const { instance } = await WebAssembly.instantiate(await readFile(file('wasm')), {
    './chardetng_wasm_bg.js': exported,
  });
  exported.use(instance.exports);
  return exported;
}
