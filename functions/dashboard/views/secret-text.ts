import { html, type Html } from '../html.ts';

/** Text to copy. Without the script there is no button, and the text is selected by hand. */
export function secretText(text: string, label: string): Html {
  return html`<div class="code">
    <pre tabindex="0"><code>${text}</code></pre>
    <button type="button" class="copy" hidden>${label}</button>
  </div>`;
}
