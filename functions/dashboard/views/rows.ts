import { html, type Html } from '../html.ts';

export type Row = readonly [name: string, value: Html | string];

/** A list of names and values, in one of the styles of `dashboard.css`. */
export const rows = (style: 'rows' | 'facts' | 'facts big', list: readonly Row[]): Html =>
  html`<dl class="${style}">
    ${list.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
