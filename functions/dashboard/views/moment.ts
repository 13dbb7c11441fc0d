import { html, type Html } from '../html.ts';

/** Characters of ISO 8601. */
const LENGTHS = { day: 10, minute: 16, second: 19 } as const;

/** A time in UTC, which the script turns into the reader's zone. */
export function moment(time: Date | string, detail: 'day' | 'minute' | 'second' = 'minute'): Html {
  const iso = new Date(time).toISOString();
  const text = iso.slice(0, LENGTHS[detail]).replace('T', ' ') + (detail === 'day' ? '' : ' UTC');
  return html`<time datetime="${iso}" data-detail="${detail}">${text}</time>`;
}
