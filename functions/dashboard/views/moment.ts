import { html, type Html } from '../html.ts';

/** A time in UTC, which the script turns into the reader's zone. */
export function moment(time: Date | string, detail: 'day' | 'minute' = 'minute'): Html {
  const iso = new Date(time).toISOString();
  const text = detail === 'day' ? iso.slice(0, 10) : `${iso.slice(0, 16).replace('T', ' ')} UTC`;
  return html`<time datetime="${iso}" data-detail="${detail}">${text}</time>`;
}
