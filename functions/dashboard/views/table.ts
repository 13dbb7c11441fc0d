import { html, type Html } from '../html.ts';

type Cell = string | number | Html;

type Table = {
  caption: string;
  /** Names of the columns. All but the first hold numbers. */
  head: readonly string[];
  /** The first cell of a row names it. */
  rows: readonly (readonly Cell[])[];
  foot?: readonly Cell[];
};

/** A table that scrolls on its own in a narrow window. */
export function table({ caption, head, rows, foot }: Table): Html {
  return html`<div class="table" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(row)}
      </tbody>
      ${
        foot &&
        html`<tfoot>
          ${row(foot)}
        </tfoot>`
      }
    </table>
  </div>`;
}

function row([name, ...cells]: readonly Cell[]): Html {
  return html`<tr>
    <th scope="row">${name}</th>
    ${cells.map((cell) => html`<td>${cell}</td>`)}
  </tr>`;
}
