import { html, type Html } from './html.ts';

/** Comments and strings stand out; a URL's slashes inside a string are part of the string. */
const MARKED = /(?<string>"[^"\n]*"|'[^'\n]*'|`[^`]*`)|(?<comment>(?:^|(?<=\s))(?:#|\/\/)[^\n]*)/gm;

/** Code with a button that copies it. Long lines scroll, so the keyboard has to reach them. */
export function codeBlock(code: string, label: string): Html {
  return html`<div class="code">
    <pre tabindex="0" role="group" aria-label="${label}"><code>${highlighted(code.trimEnd())}</code></pre>
    <button type="button" class="copy" aria-label="Copy: ${label}">Copy</button>
  </div>`;
}

function highlighted(code: string): Html[] {
  const parts: Html[] = [];
  let end = 0;
  for (const match of code.matchAll(MARKED)) {
    const kind = match.groups?.['comment'] === undefined ? 's' : 'c';
    parts.push(html`${code.slice(end, match.index)}<span class="${kind}">${match[0]}</span>`);
    end = match.index + match[0].length;
  }
  return [...parts, html`${code.slice(end)}`];
}
