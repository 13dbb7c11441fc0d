import type { Faults } from '../faults-of.ts';
import type { PageCall } from '../page-call.ts';
import { html, type Html } from '../html.ts';
import { withCode } from './with-code.ts';

type Field = {
  name: string;
  label: string;
  type?: 'date' | 'email' | 'password' | 'text';
  value?: string | undefined;
  autocomplete?: string;
  hint?: string;
  /** For codes of digits. */
  isNumeric?: boolean;
  isOptional?: boolean;
  min?: string;
  max?: string;
};

export type Form = {
  action: string;
  fields?: readonly Field[];
  /** Fields of another shape, after these. */
  further?: Html;
  /** Hidden fields. */
  hidden?: Readonly<Record<string, string>>;
  submit: string;
  /** Further buttons, by the value of `button`. */
  alternatives?: readonly { value: string; label: string }[];
  kind?: 'primary' | 'plain' | 'danger';
};

/** A form with its faults beside their fields. */
export function form(call: PageCall, it: Form, faults: Faults = {}): Html {
  const { action, fields = [], further = '', hidden = {}, submit, alternatives = [], kind = 'primary' } = it;
  return html`<form method="post" action="${call.at(action)}" class="form">
    ${faults.form && html`<p class="fault" role="alert">${withCode(faults.form)}</p>`}
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${fields.map((each) => field(`${action.slice(1)}-${each.name}`, each, faults[each.name]))} ${further}
    <div class="buttons">
      <button class="${kind}">${submit}</button>
      ${alternatives.map(({ value, label }) => html`<button name="button" value="${value}">${label}</button>`)}
    </div>
  </form>`;
}

/** A labelled input with its fault. */
export function field(id: string, it: Field, fault: string | undefined): Html {
  const { name, label, type = 'text', value = '', autocomplete = 'off', hint, min, max } = it;
  const { isNumeric = false, isOptional = false } = it;
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      ${isOptional ? '' : 'required'}
      ${min === undefined ? '' : html`min="${min}"`}
      ${max === undefined ? '' : html`max="${max}"`}
      ${isNumeric ? html`inputmode="numeric"` : ''}
      ${described ? html`aria-describedby="${described}"` : ''}
      ${fault ? html`aria-invalid="true"` : ''}
    />
    ${fault && html`<p class="fault" id="${id}-fault">${withCode(fault)}</p>`}
  </div>`;
}
