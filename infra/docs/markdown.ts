import { Marked, type Token } from 'marked';
import { codeBlock } from './code-block.ts';
import { html, type Html, raw, textOf } from './html.ts';

export type Section = { id: string; title: string; body: Html };

type LinkOf = (href: string) => string;

/** The `##` sections of a Markdown file, without the text before the first one. */
export function sectionsOf(source: string, linkOf: LinkOf): Section[] {
  const marked = markedWith(linkOf);
  const sections: { title: string; tokens: Token[] }[] = [];
  for (const token of marked.lexer(source))
    if (token.type === 'heading' && token['depth'] === 2)
      sections.push({ title: String(token['text']), tokens: [] });
    else sections.at(-1)?.tokens.push(token);
  return sections.map(({ title, tokens }) => ({ id: slug(title), title, body: raw(marked.parser(tokens)) }));
}

/** The Markdown of a single paragraph, without its tags. */
export function inline(source: string): Html {
  return raw(markedWith((href) => href).parseInline(source, { async: false }));
}

function markedWith(linkOf: LinkOf): Marked {
  return new Marked({
    renderer: {
      code: ({ text }) => textOf(codeBlock(text, 'Example')),
      html: ({ text }) => textOf(html`${text}`),
      link({ href, tokens }) {
        return textOf(html`<a href="${linkOf(href)}">${raw(this.parser.parseInline(tokens))}</a>`);
      },
      table({ header, rows }) {
        const cells = (row: typeof header) => row.map(({ tokens }) => raw(this.parser.parseInline(tokens)));
        return textOf(table(cells(header), rows.map(cells)));
      },
    },
    // Addresses in the text are examples.
    tokenizer: { url: () => undefined },
  });
}

function table(titles: readonly Html[], rows: readonly (readonly Html[])[]): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table">
    <table>
      <thead>
        <tr>
          ${titles.map((cell) => html`<th scope="col">${cell}</th>`)}
        </tr>
      </thead>
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

/** As GitHub names headings, so that one link works in both places. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
