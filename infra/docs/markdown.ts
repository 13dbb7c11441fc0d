import { codeBlock } from './code-block.ts';
import { html, type Html } from './html.ts';

export type Section = { id: string; title: string; body: Html };

type LinkOf = (href: string) => string;

const INLINE = /`(?<code>[^`]+)`|\[(?<text>[^\]]+)\]\((?<href>[^)]+)\)|\*\*(?<strong>[^*]+)\*\*/g;
/** A code block may have empty lines; all other blocks end at one. */
const BLOCK = /^```[^]*?^```$|^.+(?:\n.+)*/gm;

/** The `##` sections of a Markdown file, without the text before the first one. */
export function sectionsOf(source: string, linkOf: LinkOf): Section[] {
  return source
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      return { id: slug(title), title, body: markdown(lines.join('\n'), linkOf) };
    });
}

/** The Markdown that this project's documents use: paragraphs, lists, tables, code blocks and `###`. */
export function markdown(source: string, linkOf: LinkOf = (href) => href): Html {
  const blocks = [...source.matchAll(BLOCK)].map(([block]) => blockOf(block, linkOf));
  return html`${blocks}`;
}

export function inline(source: string, linkOf: LinkOf = (href) => href): Html {
  const parts: Html[] = [];
  let end = 0;
  for (const match of source.matchAll(INLINE)) {
    const { code, text, href, strong } = match.groups ?? {};
    parts.push(html`${source.slice(end, match.index)}`);
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (href !== undefined)
      parts.push(html`<a href="${linkOf(href)}">${inline(text ?? '', linkOf)}</a>`);
    else parts.push(html`<strong>${strong}</strong>`);
    end = match.index + match[0].length;
  }
  return html`${parts}${source.slice(end)}`;
}

function blockOf(block: string, linkOf: LinkOf): Html {
  const lines = block.split('\n');
  if (block.startsWith('```')) return codeBlock(lines.slice(1, -1).join('\n'), 'Example');
  if (block.startsWith('### ')) return html`<h3>${inline(block.slice('### '.length), linkOf)}</h3>`;
  if (block.startsWith('|')) return table(lines, linkOf);
  if (/^[*-] /.test(block)) {
    const items = block.split(/^[*-] /m).slice(1);
    return html`<ul>
      ${items.map((item) => html`<li>${inline(item, linkOf)}</li>`)}
    </ul>`;
  }
  return html`<p>${inline(block, linkOf)}</p>`;
}

function table([head = '', , ...rows]: readonly string[], linkOf: LinkOf): Html {
  const cells = (row: string) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => inline(cell.trim(), linkOf));
  const titles = cells(head);
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
              ${cells(row).map((cell) => html`<td>${cell}</td>`)}
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
