import { codeBlock } from './code-block.ts';
import type { Snippet } from './examples.ts';
import { html, type Html } from './html.ts';

/** One request in every language. Radio buttons need no script; it only keeps operations on one language. */
export function tabs(id: string, snippets: readonly Snippet[]): Html {
  return html`<fieldset class="tabs">
    <legend class="hidden">Language</legend>
    ${snippets.map(
      ({ language, label }, index) =>
        html`<label
          ><input
            type="radio"
            name="${id}-language"
            value="${language}"
            ${index === 0 ? html`checked` : undefined}
          /><span>${label}</span></label
        >`,
    )}
    ${snippets.map(
      ({ language, label, code }) =>
        html`<div class="tab" data-language="${language}">${codeBlock(code, label)}</div>`,
    )}
  </fieldset>`;
}
