import { html, type Html } from './html.ts';
import { inline } from './markdown.ts';

export function definitionTable(title: string, of: string, rows: readonly Html[]): Html {
  return html`<table class="fields">
    <caption>
      ${title}
    </caption>
    <thead>
      <tr>
        <th scope="col">${of}</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

export function definitionRow(id: string | undefined, name: Html, note: Html, meaning: string): Html {
  const identity = id === undefined ? undefined : html` id="${id}"`;
  return html`<tr${identity}>
    <th scope="row">${name}<span class="note">${note}</span></th>
    <td>${inline(meaning)}</td>
  </tr>`;
}
