const json = (value) => JSON.stringify(value, null, 2);
/** Quotes a text so that the shell changes nothing: POSIX, "Single-Quotes". */
const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const baseOf = (endpoint) => endpoint.replace(/\/api\/v1\/scraper$/, '');
const isPicture = ({ format }) => format === 'screenshot' || format === 'pdf';

/** A scrape as code, by language. Without a key, it reads `SITEFETCH_KEY`. */
export const snippets = {
  curl: (endpoint, request, key = '$SITEFETCH_KEY') =>
    [
      `curl ${quoted(endpoint)}`,
      `-H "Authorization: Bearer ${key}"`,
      "-H 'Content-Type: application/json'",
      `--data ${quoted(json(request))}`,
    ].join(' \\\n  '),
  typescript: (endpoint, request, key) => `import { Sitefetch } from '@sitefetch/client';

const client = new Sitefetch({
  baseUrl: ${JSON.stringify(baseOf(endpoint))},
  apiKey: ${key ? JSON.stringify(key) : "process.env.SITEFETCH_KEY ?? ''"},
});
const page = await client.scrape(${json(request)});
${isPicture(request) ? 'process.stdout.write(page.bytes());' : 'console.log(page.text());'}`,
  python: (endpoint, request, key) => {
    const { url = '', ...fields } = request;
    const sent = [url, ...Object.entries(fields)].map((field) =>
      Array.isArray(field) ? `    ${field[0]}=${python(field[1], '    ')},\n` : `    ${python(field)},\n`,
    );
    const modules = ['os', ...(isPicture(request) ? ['sys'] : [])].filter((name) => name !== 'os' || !key);
    return `${modules.length > 0 ? `import ${modules.join(', ')}\n` : ''}from sitefetch import Sitefetch

client = Sitefetch(
    base_url=${JSON.stringify(baseOf(endpoint))},
    api_key=${key ? JSON.stringify(key) : 'os.environ["SITEFETCH_KEY"]'},
)
page = client.scrape(
${sent.join('')})
${isPicture(request) ? 'sys.stdout.buffer.write(page.bytes())' : 'print(page.text())'}`;
  },
  cli: (endpoint, { url = '', ...fields }, key) => {
    const variables = [
      `SITEFETCH_URL=${quoted(baseOf(endpoint))}`,
      ...(key ? [`SITEFETCH_KEY=${quoted(key)}`] : []),
    ];
    const set = Object.entries(fields).map(([name, value]) => `--set ${quoted(`${name}=${setting(value)}`)}`);
    return [`${variables.join(' ')} sitefetch ${quoted(url)}`, ...set].join(' \\\n  ');
  },
};

/** A value as `--set` takes it: JSON, or a text that is none. */
function setting(value) {
  if (typeof value !== 'string') return JSON.stringify(value);
  try {
    JSON.parse(value);
    return JSON.stringify(value);
  } catch {
    return value;
  }
}

/** JSON as a Python literal: its constants differ, strings are the same. */
function python(value, margin = '') {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const inner = `${margin}    `;
  const lines = Object.entries(value).map(([name, each]) => {
    const label = Array.isArray(value) ? '' : `${JSON.stringify(name)}: `;
    return `${inner}${label}${python(each, inner)},\n`;
  });
  return lines.length === 0 ? open + close : `${open}\n${lines.join('')}${margin}${close}`;
}
