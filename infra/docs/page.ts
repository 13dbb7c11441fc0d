import { html, type Html, textOf } from './html.ts';

type Link = { href: string; label: string; isCurrent?: boolean };

export type Contents = readonly { title: string; links: readonly Link[] }[];

type Page = {
  title: string;
  version: string;
  root: './' | '../../';
  contents: Contents;
  main: Html;
};

/** Indentation, or what shows its own. */
const INDENTATION = /(<(?:pre|textarea)[^]*?<\/(?:pre|textarea)>)|\n\s+/g;

/** A whole document. Scripts and styles are files, so that its policy can forbid all others. */
export function page({ title, version, root, contents, main }: Page): string {
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
          <script src="${root}docs/docs.js" defer></script>
        </head>
        <body>
          <a class="skip" href="#main">Skip to the content</a>
          <header>
            <a class="brand" href="${root}docs"><span aria-hidden="true" class="mark"></span>Sitefetch</a>
            <span class="version">API ${version}</span>
            <a class="document" href="${root}openapi.json">OpenAPI</a>
            <button type="button" class="open-contents" popovertarget="contents">Contents</button>
          </header>
          <div class="columns">
            <nav id="contents" popover aria-label="Contents">
              ${contents.map(
                ({ title: group, links }) =>
                  html`<p>${group}</p>
                    <ul>
                      ${links.map(linkItem)}
                    </ul>`,
              )}
            </nav>
            <main id="main" tabindex="-1">${main}</main>
          </div>
        </body>
      </html>`,
  );
  return document.replace(INDENTATION, (_, shown?: string) => shown ?? '\n');
}

function linkItem({ href, label, isCurrent = false }: Link): Html {
  return html`<li><a href="${href}" ${isCurrent ? html`aria-current="page"` : undefined}>${label}</a></li>`;
}
