import { html, type Html } from '../html.ts';

type Select = {
  id: string;
  name: string;
  label: string;
  options: readonly { value: string; label: string }[];
  chosen: string;
  fault?: string | undefined;
};

/** A list to choose one value from, with its fault. */
export function select({ id, name, label, options, chosen, fault }: Select): Html {
  const wrong = fault === undefined ? '' : html`aria-invalid="true" aria-describedby="${id}-fault"`;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <select id="${id}" name="${name}" ${wrong}>
      ${options.map((it) => html`<option value="${it.value}" ${it.value === chosen ? 'selected' : ''}>${it.label}</option>`)}
    </select>
    ${fault && html`<p class="fault" id="${id}-fault" role="alert">${fault}</p>`}
  </div>`;
}
