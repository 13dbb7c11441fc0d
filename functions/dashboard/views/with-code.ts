import { html, type Html } from '../html.ts';

/** A text whose names in `backticks` are code. */
export function withCode(text: string): Html {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}
