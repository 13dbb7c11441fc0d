import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Folders that a room may not import, as patterns of the import's text. */
function noImports(files, group, message, ignores = []) {
  return {
    files,
    ignores,
    rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
  };
}

const VENDORS = [
  '@aws-sdk/*',
  '@smithy/*',
  '@middy/*',
  'impit',
  'proxy-chain',
  'puppeteer-core',
  '@aws-lambda-powertools/*',
];
const ROOMS_AROUND = [
  '**/adapters/**',
  '**/http/**',
  '**/egress/**',
  '**/functions/**',
  '**/infra/**',
  '**/local/**',
  '**/ports.ts',
];
const FUNCTIONS = ['scraper', 'jobs', 'worker', 'browser', 'sweeper', 'meta'];

export default tseslint.config(
  {
    ignores: [
      'eslint.config.js',
      'node_modules',
      'cdk.out',
      '.cache',
      '.local',
      '**/*.html',
      'docs',
      'functions/meta/docs',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-definitions': ['error', 'type'],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-redeclare': 'off',
      'no-redeclare': 'off',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only shared/config.ts reads the environment.' },
      ],
      'max-lines': ['error', { max: 200, skipBlankLines: true, skipComments: true }],
    },
  },
  noImports(
    ['shared/contract/**', 'shared/domain/**'],
    [...VENDORS, ...ROOMS_AROUND],
    'The core imports nothing around it.',
  ),
  noImports(
    ['functions/*/*.ts'],
    [...VENDORS, '**/adapters/**'],
    'A use case knows ports, not adapters or vendors: only handler.ts wires them.',
    ['functions/*/handler.ts', 'functions/browser/*.ts'],
  ),
  ...FUNCTIONS.map((name) =>
    noImports(
      [`functions/${name}/handler.ts`],
      FUNCTIONS.filter((other) => other !== name).map((other) => `../${other}/**`),
      "A function never imports another function's folder.",
    ),
  ),
  { files: ['shared/config.ts'], rules: { 'no-restricted-properties': 'off' } },
  { files: ['test/**', 'bench/**'], rules: { 'max-lines': 'off' } },
);
