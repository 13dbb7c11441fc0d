import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const CORE = ['shared/contract', 'shared/domain', 'shared/errors.ts'];
const PORTS = [...CORE, 'shared/gzip.ts', 'shared/observe', 'shared/ports', 'shared/time'];
const PURE = ['css-select', 'css-what', 'node:crypto', 'node:net', 'node:zlib', 'xpath', 'zod'];
const NO_VENDORS = ['aws-lambda', 'node:', 'zod'];

/** What single functions import beside what all may. */
const BESIDES = {
  dashboard: { packages: ['hono/html'] },
  meta: { packages: ['hono/html', 'minisearch'] },
  // A client of the API, with the tools of the command line.
  mcp: {
    tools: ['clients/mcp', 'clients/typescript/src/sitefetch.ts', 'package.json'],
    packages: ['@modelcontextprotocol/server'],
  },
};

/**
 * What a room may import of the project besides itself, and of packages unless any. The first match holds.
 */
const ROOMS = [
  { room: 'shared/errors.ts', may: [], packages: [] },
  { room: 'shared/contract', may: ['shared/errors.ts'], packages: PURE },
  {
    room: 'shared/domain',
    may: [...CORE, 'shared/html', 'shared/time/units.ts'],
    packages: [...PURE, '@cfworker/json-schema', 'domhandler', 'htmlparser2', 'robots-parser', 'tldts'],
  },
  {
    room: 'shared/html',
    may: CORE,
    packages: [
      'domhandler',
      'htmlparser2',
      'node:buffer',
      'node:zlib',
      'parse5',
      'parse5-htmlparser2-tree-adapter',
    ],
  },
  { room: 'shared/time', may: ['shared/errors.ts'], packages: [] },
  { room: 'shared/observe', may: [...CORE, 'shared/config.ts'] },
  { room: 'shared/ports', may: [...CORE, 'shared/observe'], packages: ['node:stream'] },
  { room: 'shared/use-cases', may: PORTS, packages: NO_VENDORS },
  { room: 'shared/egress', may: [...CORE, 'shared/time'] },
  { room: 'shared/api', may: [...CORE, 'shared/config.ts', 'package.json'], packages: ['zod'] },
  {
    room: 'shared/output',
    may: [...CORE, 'shared/html'],
    packages: [
      'css-select',
      'css-what',
      'csv-parse',
      'diff',
      'domhandler',
      'domutils',
      'fflate',
      'mammoth',
      'mathml-to-latex',
      'mdast',
      'mdast-util-gfm',
      'mdast-util-to-markdown',
      'node:fs',
      'node:worker_threads',
      'pdfjs-dist',
      'xpath',
    ],
  },
  { room: 'shared/request', may: CORE, packages: [...PURE, 'fastest-levenshtein', 'jsonc-parser'] },
  { room: 'shared/compat', may: [...CORE, 'shared/request'], packages: ['zod'] },
  {
    room: 'shared/http',
    may: [...PORTS, 'shared/config.ts', 'shared/api', 'shared/compat', 'shared/request'],
  },
  { room: 'shared/adapters', may: [...PORTS, 'shared/config.ts', 'shared/egress', 'shared/output'] },
  { room: 'shared/gzip.ts', may: [], packages: ['node:util', 'node:zlib'] },
  { room: 'shared/config.ts', may: CORE, packages: NO_VENDORS },
  { room: 'shared/local-config.ts', may: [...CORE, 'shared/config.ts'], packages: NO_VENDORS },
  { room: 'shared', may: [] },
  ...readdirSync(join(import.meta.dirname, 'functions')).flatMap(functionRooms),
  // Runs the bundle of one function as the local stack does.
  { room: 'infra/invoke', may: ['shared', 'infra', 'local/lambda'] },
  { room: 'infra', may: ['shared', 'package.json'] },
  { room: 'local', may: ['shared'] },
  // Runs wherever there is fetch, and is published by itself.
  { room: 'clients/typescript/src', may: [], packages: [] },
  {
    room: 'clients/mcp',
    may: ['clients/typescript/src/sitefetch.ts'],
    packages: ['@modelcontextprotocol/server'],
  },
  {
    room: 'clients/cli/src',
    may: ['clients/cli/package.json', 'clients/mcp', 'clients/typescript/src/sitefetch.ts'],
    packages: ['node:'],
  },
];

const FEATURES = ['scrape', 'jobs', 'batches', 'crawls', 'webhooks', 'accounts', 'people'];

/** Layers whose folders are the features, and what lies beside those because several features need it. */
const LAYERS = {
  'shared/contract': [
    'case.ts',
    'conditions.ts',
    'error-body.ts',
    'json-object.ts',
    'json-schema.ts',
    'memoize.ts',
    'time.ts',
  ],
  'shared/domain': ['cursor.ts', 'id-or-nil.ts', 'json-depth.ts', 'work'],
  'shared/use-cases': [],
  'shared/ports': ['effects.ts', 'usage.ts', ...FEATURES.map((feature) => `${feature}.ts`)],
  'shared/adapters/dynamodb': ['job-table.ts', 'table.ts', 'usage'],
};

/** A use case knows ports, not adapters or vendors: only handler.ts wires them. */
function functionRooms(name) {
  const room = `functions/${name}`;
  const isBrowser = name === 'browser';
  const wiring = ['shared/adapters', 'shared/config.ts', ...(isBrowser ? [] : ['shared/egress'])];
  const { tools, packages } = { tools: [], packages: [], ...BESIDES[name] };
  return [
    { room: `${room}/handler.ts`, may: ['shared', room] },
    {
      room,
      may: [...inShared().filter((path) => !wiring.includes(path)), ...tools],
      packages: isBrowser ? undefined : [...NO_VENDORS, ...packages],
    },
  ];
}

function inShared() {
  return readdirSync(join(import.meta.dirname, 'shared')).map((name) => `shared/${name}`);
}

const isIn = (path, place) => path === place || path.startsWith(place.endsWith(':') ? place : `${place}/`);

/** The reason if `file`, by its path in the repository, may not import `source`. */
function forbidden(file, source) {
  const row = ROOMS.find(({ room }) => isIn(file, room));
  const isOurs = source.startsWith('.');
  const to = isOurs ? join(dirname(file), source) : source;
  const allowed = isOurs ? [row?.room, ...(row?.may ?? [])] : row?.packages;
  return row && allowed && !allowed.some((place) => isIn(to, place))
    ? `${row.room} does not import ${to}.`
    : undefined;
}

/** The linter's own no-restricted-imports sees the text of an import, not where it leads. */
const rooms = {
  create(context) {
    const file = relative(import.meta.dirname, context.filename);
    const check = ({ source }) => {
      const message = typeof source?.value === 'string' && forbidden(file, source.value);
      if (message) context.report({ node: source, message });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

/** The same words in every layer: a feature is found in all of them by its name. */
const features = {
  create(context) {
    const file = relative(import.meta.dirname, context.filename);
    const [layer, beside] = Object.entries(LAYERS).find(([name]) => isIn(file, name)) ?? [];
    const [place, ...rest] = layer ? file.slice(layer.length + 1).split('/') : [];
    const isKnown = !layer || beside.includes(place) || (rest.length > 0 && FEATURES.includes(place));
    const message = `${layer} has folders named after features: ${FEATURES.join(', ')}. ${place} is none.`;
    return isKnown ? {} : { Program: (node) => context.report({ node, message }) };
  },
};

const MAX_COMMENT_COLUMNS = 110;

/** Prettier wraps code, and leaves comments alone. */
const commentWidth = {
  create(context) {
    const check = (comment) => {
      const lines = context.sourceCode.lines.slice(comment.loc.start.line - 1, comment.loc.end.line);
      if (lines.some((line) => line.length > MAX_COMMENT_COLUMNS && !line.includes('://')))
        context.report({ node: comment, message: `Comments have at most ${MAX_COMMENT_COLUMNS} columns.` });
    };
    return { Program: () => context.sourceCode.getAllComments().forEach(check) };
  },
};

/** Words that leave a reader to find out which noun is meant, or what happens. */
export const HOUSE_WORDS = [
  /\btold\b/i,
  /\basked\b/i,
  /\blooked at\b/i,
  /\b(?:go|goes|going|went) on\b/i,
  /\banew\b/i,
  /\bas (?:it|they) (?:is|are|was|were)\b/i,
  /\bones? (?:that|which|who|whose)\b/i,
  /\bthat of\b/i,
  /\bthose (?:of|that|which|who|whose|with|without|in|from|for)\b/i,
];

/** In comments and in titles of tests. */
const houseWords = {
  create(context) {
    const check = (node, text) => {
      const [word] = HOUSE_WORDS.flatMap(
        (pattern) => pattern.exec(text.replace(/\s+(?:\*|\/\/)?\s*/g, ' ')) ?? [],
      );
      if (word)
        context.report({ node, message: `Name what is meant instead of "${word}": CONTRIBUTING.md.` });
    };
    const isTest = (callee) => /^(?:test|describe)\b/.test(context.sourceCode.getText(callee));
    return {
      Program: () => context.sourceCode.getAllComments().forEach((comment) => check(comment, comment.value)),
      CallExpression: ({ callee, arguments: [title] }) => {
        if (typeof title?.value === 'string' && isTest(callee)) check(title, title.value);
      },
    };
  },
};

const rules = { rooms, features, 'comment-width': commentWidth, 'house-words': houseWords };

export default { meta: { name: 'sitefetch' }, rules };
