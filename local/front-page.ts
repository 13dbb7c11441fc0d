import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { stylePolicy } from '../shared/http/style-policy.ts';
import { isLoopback } from './loopback-names.ts';

export type Facts = { apiKey: string; demoSite: string; dashboardUrl: string };

/** Colors and fonts, shared with the dashboard and the documentation. */
const BASE = readFileSync(new URL('../shared/base.css', import.meta.url), 'utf8');
const STYLE = `${BASE}
  header { display: flex; gap: 1.25rem; align-items: center; min-height: var(--bar); padding: 0 max(1.25rem, calc((100vw - 46rem) / 2 + 1.25rem)); border-bottom: 1px solid var(--line); }
  header .brand { margin-right: auto; }
  main { max-width: 46rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
  h1 { margin: 0 0 .75rem; letter-spacing: -.02em; line-height: 1.25; }
  h2 { margin: 2rem 0 .5rem; font-size: 1.1rem; }
  pre { overflow-x: auto; padding: .7rem .9rem; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); }
  code { font: .8125rem/1.5 var(--mono); }
  .button { display: inline-block; padding: .45rem .9rem; text-decoration: none; }
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

function pageAt(origin: string, key: string, facts: Facts): string {
  const { dashboardUrl } = facts;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sitefetch</title>
<style>${STYLE}</style>
</head>
<body>
<header><a class="brand" href="/">Sitefetch</a><a href="/docs">Docs</a><a href="${dashboardUrl}">Dashboard</a></header>
<main>
<h1>Sitefetch runs here</h1>
<p>Send a URL, get the page. ${key === facts.apiKey ? 'The key below is the demo key.' : 'The demo key is in the terminal that runs the service: put it in <code>API_KEY</code>.'}</p>
<p>In the dashboard people sign up, get keys and try requests.</p>
<p><a class="button" href="${dashboardUrl}">Open the dashboard</a></p>
${calls(origin, key, facts)}
</main>
</body>
</html>
`;
}

function calls(origin: string, key: string, { demoSite }: Facts): string {
  const authorization = `-H "Authorization: Bearer ${key}"`;
  const target = encodeURIComponent(`${demoSite}/js`);
  const job = JSON.stringify({ url: `${demoSite}/js`, render_js: true });
  return `<h2>A rendered page</h2>
${command(`curl ${authorization} "${origin}/api/v1/scraper?url=${target}&render_js=true"`)}
<h2>The same as a job</h2>
${command(`curl ${authorization} -H "Content-Type: application/json" ${origin}/api/v1/scraper/jobs -d '${job}'`)}
<p>The response has a <code>job_id</code>. These give its status, and then its page:</p>
${command(`curl ${authorization} ${origin}/api/v1/scraper/jobs/JOB_ID\ncurl ${authorization} ${origin}/api/v1/scraper/jobs/JOB_ID/result`)}
<h2>More</h2>
<ul>
<li><a href="/docs">Documentation</a>: guide and reference, with search and forms to try the API</li>
<li><a href="/openapi.json">OpenAPI document</a>, for programs</li>
<li><a href="${demoSite}">Demo site</a>, with more pages to scrape</li>
</ul>`;
}

function command(text: string): string {
  return `<pre tabindex="0"><code>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</code></pre>`;
}
