import { html, type Html } from '../html.ts';

type Cell = string | Html;

/** How a column is set: `main` takes the room that is left. */
type Style = 'badge' | 'main' | 'number' | 'text' | 'note' | 'time' | 'action';

export type Column = { name: string; style: Style };

type Lines = { caption: string; columns: readonly Column[]; rows: readonly (readonly Cell[])[] };

/** Lines with column heads. A narrow window sets each as a block; the roles keep it a table for readers. */
export function listTable({ caption, columns, rows }: Lines): Html {
  return html`<table class="lines" role="table">
    <caption>
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(({ name, style }) => html`<th scope="col" role="columnheader" class="is-${style}">${name}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map((cells) => line(columns, cells))}
    </tbody>
  </table>`;
}

function line(columns: readonly Column[], cells: readonly Cell[]): Html {
  return html`<tr role="row">
    ${cells.map((cell, index) => {
      const { name, style } = columns[index] ?? { name: '', style: 'text' };
      return html`<td role="cell" class="is-${style}" data-name="${name}">${cell}</td>`;
    })}
  </tr>`;
}
