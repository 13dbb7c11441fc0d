import { html, type Html } from '../html.ts';
import { secretText } from './secret-text.ts';

const LANGUAGES = { curl: 'curl', typescript: 'TypeScript', python: 'Python', cli: 'Command line' } as const;

/** Code in each language, of which one is shown. It works without a script, once in a card. */
export function languageTabs(codeIn: (language: keyof typeof LANGUAGES) => string): Html {
  const languages = Object.entries(LANGUAGES) as [keyof typeof LANGUAGES, string][];
  return html`<fieldset class="tabs">
      <legend>Language</legend>
      ${languages.map(
        ([name, label]) =>
          html`<label>
            <input
              type="radio"
              name="language"
              value="${name}"
              ${name === 'curl' ? html`checked` : ''}
            /><span>${label}</span>
          </label>`,
      )}
    </fieldset>
    ${languages.map(([name]) => html`<div class="tab" data-language="${name}">${secretText(codeIn(name), 'Copy')}</div>`)}`;
}
