import { guideList } from './guide-list.ts';
import { operations } from './reference.ts';

/** Stands for the URL of the API, which only the deployed function knows. */
export const API_URL = '{API_URL}';

const SUMMARY = `# Sitefetch

> Send a URL, get the page: plain or rendered in Chromium, as HTML, Markdown, text, links, values, screenshot or PDF; at once, as a job, or for a whole site as a crawl.

Send \`Authorization: Bearer <key>\`. A page costs 1 credit, 5 rendered; errors cost nothing. Every error is JSON with a \`code\`, a \`message\` that says what to do, and a \`doc_url\`; add \`.md\` to it for Markdown. [Search](${API_URL}/docs/search?q=retry+webhook) with \`Accept: text/markdown\`.`;

/** The pages for language models, as https://llmstxt.org describes. */
export function llmsText(): string {
  const link = (title: string, path: string, about: string) => `- [${title}](${API_URL}/${path}): ${about}`;
  const guide = Object.entries(guideList).map(([group, entries]) => {
    const links = entries.map(({ name, title, about }) => link(title, `docs/${name}.md`, about));
    return `## ${group}\n\n${links.join('\n')}`;
  });
  const reference = [
    link('OpenAPI without examples', 'openapi.json?examples=false', 'All operations, for programs'),
    link('Headers', 'docs/headers.md', 'Of requests and responses'),
    link('Errors', 'docs/errors.md', 'All codes; each has its page'),
    ...operations.map(({ operationId, summary, method, path }) =>
      link(summary, `docs/${operationId}.md`, `\`${method} ${path}\``),
    ),
  ];
  const others = link('Whole programs', 'docs/programs.md', 'curl, Node.js and Python');
  return `${[SUMMARY, ...guide, `## Reference\n\n${reference.join('\n')}`, `## Optional\n\n${others}`].join('\n\n')}\n`;
}
