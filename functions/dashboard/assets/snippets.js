const json = (value) => JSON.stringify(value, null, 2);
/** Quotes a text so that the shell changes nothing: POSIX, "Single-Quotes". */
const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const indented = (text, by) => text.replaceAll('\n', `\n${by}`);

/** A request as code, by language. */
export const snippets = {
  curl: (endpoint, request) =>
    [
      `curl ${quoted(endpoint)}`,
      '-H "Authorization: Bearer $SITEFETCH_KEY"',
      "-H 'Content-Type: application/json'",
      `--data ${quoted(json(request))}`,
    ].join(' \\\n  '),
  node: (endpoint, request) => `const response = await fetch(${JSON.stringify(endpoint)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.SITEFETCH_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${indented(json(request), '  ')}),
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.text());`,
  python: (endpoint, request) => `import os
import requests

response = requests.post(
    ${JSON.stringify(endpoint)},
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    json=${indented(python(request), '    ')},
    timeout=130,
)
response.raise_for_status()
print(response.text)`,
};

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
