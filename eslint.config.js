import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const CORE = ['shared/contract', 'shared/domain', 'shared/errors.ts'];
const PORTS = [...CORE, 'shared/gzip.ts', 'shared/observe', 'shared/ports.ts', 'shared/time'];
const PURE = ['css-what', 'node:crypto', 'node:net', 'node:zlib', 'zod'];
const NO_VENDORS = ['aws-lambda', 'node:', 'zod'];

/** What a room may import of the project beside itself, and which packages, if not any. The first row that fits holds. */
const ROOMS = [
  { room: 'shared/errors.ts', may: [], packages: [] },
  { room: 'shared/contract', may: ['shared/errors.ts'], packages: PURE },
  { room: 'shared/domain', may: CORE, packages: PURE },
  { room: 'shared/time', may: ['shared/errors.ts'], packages: [] },
  { room: 'shared/observe', may: [...CORE, 'shared/config.ts'] },
  { room: 'shared/ports.ts', may: PORTS, packages: NO_VENDORS },
  { room: 'shared/use-cases', may: PORTS, packages: NO_VENDORS },
  { room: 'shared/egress', may: [...CORE, 'shared/time'] },
  { room: 'shared/api', may: [...CORE, 'shared/config.ts', 'package.json'], packages: ['zod'] },
  { room: 'shared/request', may: CORE, packages: [...PURE, 'fastest-levenshtein'] },
  { room: 'shared/http', may: [...PORTS, 'shared/config.ts', 'shared/api', 'shared/request'] },
  { room: 'shared/adapters', may: [...PORTS, 'shared/config.ts', 'shared/egress'] },
  { room: 'shared/gzip.ts', may: [], packages: ['node:util', 'node:zlib'] },
  { room: 'shared/config.ts', may: CORE, packages: NO_VENDORS },
  { room: 'shared', may: [] },
  ...readdirSync(join(import.meta.dirname, 'functions')).flatMap(functionRooms),
  { room: 'infra', may: ['shared', 'package.json'] },
  { room: 'local', may: ['shared'] },
];

/** A use case knows ports, not adapters or vendors: only handler.ts wires them. Who meets the web goes through egress. */
function functionRooms(name) {
  const room = `functions/${name}`;
  const isBrowser = name === 'browser';
  const wiring = ['shared/adapters', 'shared/config.ts', ...(isBrowser ? [] : ['shared/egress'])];
  return [
    { room: `${room}/handler.ts`, may: ['shared', room] },
    {
      room,
      may: inShared().filter((path) => !wiring.includes(path)),
      packages: isBrowser ? undefined : NO_VENDORS,
    },
  ];
}

function inShared() {
  return readdirSync(join(import.meta.dirname, 'shared')).map((name) => `shared/${name}`);
}

const isIn = (path, place) => path === place || path.startsWith(place.endsWith(':') ? place : `${place}/`);

/** ESLint's own no-restricted-imports sees the text of an import, not where it leads, and has one list a file. */
const rooms = {
  create({ filename, report }) {
    const file = relative(import.meta.dirname, filename);
    const row = ROOMS.find(({ room }) => isIn(file, room));
    if (!row) return {};
    const check = ({ source }) => {
      if (typeof source?.value !== 'string') return;
      const isOurs = source.value.startsWith('.');
      const to = isOurs ? join(dirname(file), source.value) : source.value;
      const allowed = isOurs ? [row.room, ...row.may] : row.packages;
      if (allowed && !allowed.some((place) => isIn(to, place)))
        report({ node: source, message: `${row.room} does not import ${to}.` });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

const ENVIRONMENT = 'Only shared/config.ts reads the environment.';

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
      'test/fixtures/clients',
      'test/fixtures/settled/apps',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    plugins: { sitefetch: { rules: { rooms } } },
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
        { object: 'process', property: 'env', message: ENVIRONMENT },
        { object: 'globalThis', property: 'process', message: ENVIRONMENT },
      ],
      'no-restricted-imports': [
        'error',
        ...['node:process', 'process'].map((name) => ({
          name,
          importNames: ['env', 'default'],
          message: ENVIRONMENT,
        })),
      ],
      'sitefetch/rooms': 'error',
      'max-len': ['error', { code: 400, comments: 110, ignoreUrls: true }],
      'max-lines': ['error', { max: 200, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['shared/config.ts'], rules: { 'no-restricted-properties': 'off' } },
  { files: ['test/**', 'bench/**'], rules: { 'max-lines': 'off' } },
);
