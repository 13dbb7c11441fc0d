import { build } from 'esbuild';

/** One script, built for production by the framework's own tools. */
export async function bundleApp(
  contents: string,
  platform: 'browser' | 'neutral' = 'browser',
): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    platform,
    mainFields: ['module', 'main'],
    format: platform === 'browser' ? 'iife' : 'esm',
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
  });
  return outputFiles[0]?.text ?? '';
}
