import type { IncomingMessage, ServerResponse } from 'node:http';
import { stylePolicy } from '../shared/http/style-policy.ts';
import { isLoopback } from './loopback-names.ts';

export type Facts = { apiKey: string; demoSite: string };

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
  pre { overflow-x: auto; padding: .8rem 1rem; border: 1px solid #8886; border-radius: .4rem; }
  code { font: .875rem/1.5 ui-monospace, monospace; }
`;

const POLICY = stylePolicy(STYLE);

/** A host and port that are safe in a page and in a shell command. */
const HOST = /^[\w.-]+(:\d+)?$|^\[[0-9a-f:.]+\](:\d+)?$/i;
const OWN_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** Serves `/`: a page with links to the reference and to a first scrape. */
export function frontPage(facts: Facts) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const host = HOST.test(request.headers.host ?? '') ? request.headers.host : '127.0.0.1';
    const key = isFromHere(request) ? facts.apiKey : '$API_KEY';
    const body = pageAt(`http://${host}`, key, facts);
    response.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'Content-Security-Policy': POLICY,
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}

/**
 * Whether the page may show the key: not to other machines, not through a proxy, and not under a name that a
 * website has pointed at this machine (DNS rebinding).
 */
function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const isProxied = 'x-forwarded-for' in headers || 'forwarded' in headers || 'via' in headers;
  return isLoopback(socket.remoteAddress) && OWN_HOST.test(headers.host ?? '') && !isProxied;
}

function pageAt(origin: string, key: string, { apiKey, demoSite }: Facts): string {
  const authorization = `-H "Authorization: Bearer ${key}"`;
  const target = encodeURIComponent(`${demoSite}/js`);
  const job = JSON.stringify({ url: `${demoSite}/js`, render_js: true });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sitefetch</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Sitefetch runs here</h1>
<p>Send a URL, get the page. ${key === apiKey ? 'The key below is the demo key.' : 'The demo key is in the terminal that runs the service: put it in <code>API_KEY</code>.'}</p>
<h2>A rendered page</h2>
${command(`curl ${authorization} "${origin}/api/v1/scraper?url=${target}&render_js=true"`)}
<h2>The same as a job</h2>
${command(`curl ${authorization} -H "Content-Type: application/json" ${origin}/api/v1/scraper/jobs -d '${job}'`)}
<p>The response has a <code>job_id</code>. These give its status, and then its page:</p>
${command(`curl ${authorization} ${origin}/api/v1/scraper/jobs/JOB_ID\ncurl ${authorization} ${origin}/api/v1/scraper/jobs/JOB_ID/result`)}
<h2>More</h2>
<ul>
<li><a href="/docs">Reference</a>, with forms to try the API</li>
<li><a href="/openapi.json">OpenAPI document</a>, for programs</li>
<li><a href="${demoSite}">Demo site</a>, with more pages to scrape</li>
</ul>
</body>
</html>
`;
}

function command(text: string): string {
  return `<pre><code>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</code></pre>`;
}
