import { html, type Html, textOf } from './html.ts';

/** The name of a page under `/docs`, perhaps with an anchor, or an anchor of this page. */
type Link = { to: string; label: string; isCurrent?: boolean; sections?: readonly Link[] };

export type Contents = readonly { title: string; links: readonly Link[] }[];

type Page = {
  title: string;
  version: string;
  root: './' | '../' | '../../';
  contents: Contents;
  main: Html;
  /** The URL of the same page as Markdown. */
  markdown?: string;
};

/** Indentation, or what shows its own. */
const INDENTATION = /(<(?:pre|textarea)[^]*?<\/(?:pre|textarea)>)|\n\s+/g;

/** A whole document. Scripts and styles are files, so that its policy can forbid all others. */
export function page({ title, version, root, contents, main, markdown }: Page): string {
  const document = textOf(
    html`<!doctype html>
      <html lang="en" data-root="${root}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>${title}</title>
          <link rel="icon" href="${root}docs/icon.svg" type="image/svg+xml" />
          <link rel="stylesheet" href="${root}docs/docs.css" />
          ${markdown && html`<link rel="alternate" type="text/markdown" href="${markdown}" />`}
          <script src="${root}docs/docs.js" defer></script>
        </head>
        <body>
          <a class="skip" href="#main">Skip to the content</a>
          <header>
            <a class="brand" href="${root}docs"><span aria-hidden="true" class="mark"></span>Sitefetch</a>
            <span class="version">${version}</span>
            ${markdown && html`<a href="${markdown}">Markdown</a>`}
            <a class="document" href="${root}openapi.json">OpenAPI</a>
            <button type="button" class="open-contents" popovertarget="contents">Contents</button>
          </header>
          <div class="columns">
            <nav id="contents" popover aria-label="Contents">
              ${searchForm(root)} ${contents.map(({ title: group, links }) => linkGroup(root, group, links))}
            </nav>
            <main id="main" tabindex="-1">${main}</main>
          </div>
        </body>
      </html>`,
  );
  return document.replace(INDENTATION, (_, shown?: string) => shown ?? '\n');
}

/** Works without a script: the service searches. */
export function searchForm(root: Page['root'], place = 'Contents'): Html {
  return html`<form class="search" role="search" aria-label="${place}" action="${root}docs/search">
    <input
      type="search"
      name="q"
      aria-label="Search the documentation"
      placeholder="Search"
      maxlength="200"
    />
    <button type="submit">Search</button>
  </form>`;
}

function linkGroup(root: Page['root'], title: string, links: readonly Link[]): Html {
  return html`<p>${title}</p>
    <ul>
      ${links.map((link) => linkItem(root, link))}
    </ul>`;
}

function linkItem(root: Page['root'], { to, label, isCurrent = false, sections = [] }: Link): Html {
  const href = to.startsWith('#') ? to : `${root}docs/${to}`;
  const below = sections.map((section) => linkItem(root, section));
  return html`<li>
    <a href="${href}" ${isCurrent ? html`aria-current="page"` : undefined}>${label}</a>
    ${
      below.length > 0
        ? html`<ul>
            ${below}
          </ul>`
        : undefined
    }
  </li>`;
}
