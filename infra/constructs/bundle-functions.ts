import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { AUTHORITIES, CONVERTER, environments, type FunctionName } from '../../shared/config.ts';
import { writeDocs } from '../docs/write-docs.ts';
import { subjectHash } from './subject-hash.ts';

/** The folder with each function's deployable code: `index.mjs` and the native packages it imports. */
export type Bundles = Readonly<Record<FunctionName, string>>;

const root = fileURLToPath(new URL('../..', import.meta.url));
const names = Object.keys(environments) as FunctionName[];

/** Packages with native code, which esbuild cannot bundle, and their dependencies on Lambda's platform. */
const NATIVE: Readonly<Record<string, readonly string[]>> = {
  'wreq-js': ['wreq-js', '@wreq-js/binding-linux-x64-gnu'],
};

/** The files beside the documentation's pages, which are written when the functions are bundled. */
const DOCS = join(root, 'functions/meta/docs');

/** Style, script and icon of the dashboard. */
const PAGE_ASSETS = join(root, 'functions/dashboard/assets');

/** What the browser function runs in pages. */
const PAGE_SCRIPTS = join(root, 'functions/browser/page/scripts');

const isDeployed = (path: string) => path === PAGE_SCRIPTS || path.endsWith('.page.js');

/** The palette and base styles that both put before their own. */
const BASE_STYLES = join(root, 'shared/base.css');

/** Functions that convert pages in a thread, which is a file of its own. */
const CONVERTING = ['scraper', 'worker'] as const satisfies FunctionName[];

const handlerOf = (name: FunctionName) => [`${name}/index`, `functions/${name}/handler.ts`];

/** The characters of fonts that PDFs name without embedding them. */
const CMAPS = join(root, 'node_modules/pdfjs-dist/cmaps');

/** Parts of packages that no function runs: 50 languages, WebDriver BiDi, a browser downloader. */
const UNUSED = /node_modules\/(zod\/v4\/locales\/index\.js|(chromium-bidi|yargs|modern-tar)\/)/;
const withoutUnused: Plugin = {
  name: 'without-unused',
  setup: (run) => run.onLoad({ filter: UNUSED }, () => ({ contents: '' })),
};

// Bundled CommonJS packages call require for Node's own modules, and ESM has none.
const REQUIRE = `import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);`;

const HOW = {
  absWorkingDir: root,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  external: Object.keys(NATIVE),
  banner: { js: REQUIRE },
  // Halves the size. Names stay, so that stack traces are readable without a source map.
  minifyWhitespace: true,
  minifySyntax: true,
  charset: 'utf8',
  legalComments: 'none',
  plugins: [withoutUnused],
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Bundles functions into folders of their own under `into`, with the files that they serve. */
export async function bundleFunctions<Name extends FunctionName = FunctionName>(
  into: string,
  chosen: readonly Name[] = names as Name[],
): Promise<Readonly<Record<Name, string>>> {
  const bundles = await bundleCode(into, chosen);
  const isChosen = (name: FunctionName) => chosen.some((it) => it === name);
  if (isChosen('meta')) {
    await cp(DOCS, join(into, 'meta/docs'), { recursive: true });
    await writeDocs(join(into, 'meta/docs'));
    await addBaseStyles(join(into, 'meta/docs/docs.css'));
  }
  if (isChosen('dashboard')) {
    await cp(PAGE_ASSETS, join(into, 'dashboard/assets'), { recursive: true });
    await addBaseStyles(join(into, 'dashboard/assets/dashboard.css'));
  }
  return bundles;
}

/**
 * The code of some functions alone, in one esbuild run. NodejsFunction would start one process per function
 * and take five times as long. Also writes https://esbuild.github.io/api/#metafile.
 */
export async function bundleCode<Name extends FunctionName>(
  into: string,
  chosen: readonly Name[],
): Promise<Readonly<Record<Name, string>>> {
  const converters = CONVERTING.filter((name) => chosen.some((it) => it === name));
  const { metafile } = await build({
    entryPoints: Object.fromEntries(chosen.map(handlerOf)),
    outdir: into,
    metafile: true,
    ...HOW,
  });
  await writeFile(join(into, 'meta.json'), JSON.stringify(metafile));
  await Promise.all(converters.map((name) => bundleConverter(join(into, name))));
  await Promise.all(chosen.map((name) => copyNative(metafile, name, join(into, name))));
  if (chosen.some((name) => name === 'browser'))
    await cp(PAGE_SCRIPTS, join(into, 'browser/scripts'), { recursive: true, filter: isDeployed });
  return Object.fromEntries(chosen.map((name) => [name, join(into, name)])) as Record<Name, string>;
}

/** The code for documents is in files of its own, which are loaded with the first document. */
async function bundleConverter(folder: string): Promise<void> {
  await build({
    entryPoints: { [parse(CONVERTER).name]: 'shared/output/thread.ts' },
    outdir: folder,
    splitting: true,
    chunkNames: '[name]-[hash]',
    ...HOW,
  });
  await cp(CMAPS, join(folder, 'cmaps'), { recursive: true, filter: (path) => !path.endsWith('LICENSE') });
}

async function addBaseStyles(sheet: string): Promise<void> {
  await writeFile(sheet, `${await readFile(BASE_STYLES, 'utf8')}\n${await readFile(sheet, 'utf8')}`);
}

async function copyNative(metafile: Metafile, name: FunctionName, folder: string): Promise<void> {
  const [, output] =
    Object.entries(metafile.outputs).find(([path]) => path.endsWith(`/${name}/index.mjs`)) ?? [];
  const imported = output?.imports.filter((entry) => entry.external).map((entry) => entry.path) ?? [];
  for (const dependency of imported.flatMap((path) => NATIVE[path] ?? [])) {
    await copyPackage(dependency, join(folder, 'node_modules', dependency));
  }
  if (imported.includes('wreq-js')) await writeAuthorities(rootCertificates, join(folder, AUTHORITIES));
}

async function copyPackage(name: string, to: string): Promise<void> {
  const from = join(root, 'node_modules', name);
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to, { recursive: true, filter: (path) => !/\.(md|d\.ts|cjs|map)$/.test(path) }).catch(
    (cause: unknown) => {
      throw new Error(`${name} is not installed. Build on Linux x86_64.`, { cause });
    },
  );
}

/**
 * Names each certificate's file after its subject's hash, so that OpenSSL and BoringSSL read only the files
 * they need: https://docs.openssl.org/3.0/man1/openssl-rehash/
 */
async function writeAuthorities(certificates: readonly string[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const taken = new Map<string, number>();
  for (const pem of certificates) {
    const hash = subjectHash(pem);
    const number = taken.get(hash) ?? 0;
    taken.set(hash, number + 1);
    await writeFile(join(folder, `${hash}.${number}`), `${pem.trim()}\n`);
  }
}
