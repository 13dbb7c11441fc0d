import { assetPath } from '../assets.ts';
import type { PageCall } from '../page-call.ts';
import { html, type Html } from '../html.ts';
import { noticeIn } from './notices.ts';

type Page = { title: string; main: Html; script?: 'playground.js' };

/** The pages of a member, in the order of the navigation. A new page is one line here. */
export const MENU = [
  { path: '/', label: 'Home' },
  { path: '/usage', label: 'Usage' },
  { path: '/activity', label: 'Activity' },
  { path: '/jobs', label: 'Jobs' },
  { path: '/batches', label: 'Batches' },
  { path: '/crawls', label: 'Crawls' },
  { path: '/webhooks', label: 'Webhooks' },
  { path: '/keys', label: 'Keys' },
  { path: '/playground', label: 'Playground' },
  { path: '/limits', label: 'Limits' },
  { path: '/members', label: 'Members' },
  { path: '/settings', label: 'Settings' },
] as const;

/** A whole document. Script and styles are files, so that its policy can forbid all others. */
export function layout(call: PageCall, { title, main, script }: Page): Html {
  const notice = noticeIn(call);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Sitefetch</title>
        <link rel="icon" href="${call.at(assetPath('icon.svg'))}" type="image/svg+xml" />
        <link rel="stylesheet" href="${call.at(assetPath('dashboard.css'))}" />
        <script src="${call.at(assetPath('dashboard.js'))}" defer></script>
        ${script && html`<script src="${call.at(assetPath(script))}" type="module"></script>`}
      </head>
      <body class="${call.person ? 'member' : 'visitor'}">
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <a class="brand" href="${call.at('/')}"><span aria-hidden="true" class="mark"></span>Sitefetch</a>
          ${call.person && menu(call)}
        </header>
        <main id="main" tabindex="-1">
          ${notice && html`<p class="notice" role="status">${notice}</p>`} ${main}
        </main>
      </body>
    </html>`;
}

function menu(call: PageCall): Html {
  const link = ({ path, label }: (typeof MENU)[number]) =>
    html`<a href="${call.at(path)}" ${current(call, path)}>${label}</a>`;
  return html`<nav aria-label="Dashboard">${MENU.map(link)}</nav>
    <form method="post" action="${call.at('/sign-out')}"><button>Sign out</button></form>`;
}

/** Marks the page itself, or the page above it. */
function current({ path }: PageCall, of: string): Html | '' {
  if (path === of) return html`aria-current="page"`;
  return path.startsWith(`${of}/`) ? html`aria-current="true"` : '';
}
