import { Marked } from 'marked';
import { codeBlock } from './code-block.ts';
import { slug } from './headings.ts';
import { html, type Html, raw, textOf } from './html.ts';

/** The markup of a page's Markdown. Its headings have ids, and links to `page.md` lead to the page itself. */
export function markup(source: string): Html {
  return raw(marked.parse(source, { async: false }));
}

/** The Markdown of a single paragraph, without its tags. */
export function inline(source: string): Html {
  return raw(marked.parseInline(source, { async: false }));
}

const marked = new Marked({
  renderer: {
    code: ({ text }) => textOf(codeBlock(text, 'Example')),
    html: ({ text }) => textOf(html`${text}`),
    heading({ depth, text, tokens }) {
      const title = raw(this.parser.parseInline(tokens));
      if (depth === 1) return textOf(html`<h1>${title}</h1>`);
      const anchor = html`<a href="#${slug(text)}">${title}</a>`;
      return textOf(
        depth === 2
          ? html`<h2 id="${slug(text)}">${anchor}</h2>`
          : html`<h3 id="${slug(text)}">${anchor}</h3>`,
      );
    },
    link({ href, tokens }) {
      const page = href.replace(/^([\w-]+)\.md(?=#|$)/, '$1');
      return textOf(html`<a href="${page}">${raw(this.parser.parseInline(tokens))}</a>`);
    },
    table({ header, rows }) {
      const cells = (row: typeof header) => row.map(({ tokens }) => raw(this.parser.parseInline(tokens)));
      return textOf(table(cells(header), rows.map(cells)));
    },
  },
  // Addresses in the text are examples.
  tokenizer: { url: () => undefined },
});

function table(titles: readonly Html[], rows: readonly (readonly Html[])[]): Html {
  const head = html`<thead>
    <tr>
      ${titles.map((cell) => html`<th scope="col">${cell}</th>`)}
    </tr>
  </thead>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table">
    <table>
      ${titles.some((cell) => textOf(cell) !== '') ? head : undefined}
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
