import { assetPath } from '../assets.ts';
import type { PageCall } from '../page-call.ts';
import { html, type Html } from '../html.ts';
import { noticeIn } from './notices.ts';

type Page = { title: string; main: Html; script?: 'playground.js' };

/** The pages of a member by what they are for, in order. A new page is one line here. */
const GROUPS = [
  {
    name: 'Use',
    pages: [
      { path: '/playground', label: 'Playground' },
      { path: '/activity', label: 'Activity' },
      { path: '/jobs', label: 'Jobs' },
      { path: '/batches', label: 'Batches' },
      { path: '/crawls', label: 'Crawls' },
    ],
  },
  {
    name: 'Build',
    pages: [
      { path: '/keys', label: 'Keys' },
      { path: '/webhooks', label: 'Webhooks' },
    ],
  },
  {
    name: 'Organization',
    pages: [
      { path: '/usage', label: 'Usage' },
      { path: '/limits', label: 'Limits' },
      { path: '/members', label: 'Members' },
      { path: '/settings', label: 'Settings' },
    ],
  },
] as const;

const HOME = { path: '/', label: 'Home' } as const;

export const MENU: readonly { path: string; label: string }[] = [
  HOME,
  ...GROUPS.flatMap(({ pages }): readonly { path: string; label: string }[] => pages),
];

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

/** Folded in a narrow window; a wide one shows it always. */
function menu(call: PageCall): Html {
  return html`<details class="menu">
    <summary>Menu</summary>
    <div>
      ${call.organization && html`<p class="organization">${call.organization.name}</p>`}
      <nav aria-label="Dashboard">
        <ul>
          ${link(call, HOME)}
        </ul>
        ${GROUPS.map(({ name, pages }) => group(call, name, pages))}
      </nav>
      <form method="post" action="${call.at('/sign-out')}"><button>Sign out</button></form>
    </div>
  </details>`;
}

function group(call: PageCall, name: string, pages: (typeof GROUPS)[number]['pages']): Html {
  const id = `menu-${name.toLowerCase()}`;
  return html`<p id="${id}">${name}</p>
    <ul aria-labelledby="${id}">
      ${pages.map((page) => link(call, page))} ${name === 'Build' && docs(call)}
    </ul>`;
}

/** Of the API, which is another site. */
const docs = ({ docsUrl }: PageCall) => docsUrl && html`<li><a href="${docsUrl}">Docs</a></li>`;

const link = (call: PageCall, { path, label }: { path: string; label: string }) =>
  html`<li><a href="${call.at(path)}" ${current(call, path)}>${label}</a></li>`;

/** Marks the page itself, or the page above it. */
function current({ path }: PageCall, of: string): Html | '' {
  if (path === of) return html`aria-current="page"`;
  return path.startsWith(`${of}/`) ? html`aria-current="true"` : '';
}
