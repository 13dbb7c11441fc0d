import type { MemberCall } from '../page-call.ts';
import { form, type Form } from './form.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import { type Row, rows } from './rows.ts';

type Ask = {
  /** The question. */
  title: string;
  /** What it is about. */
  about: string;
  facts?: readonly Row[];
  /** What stops, and what stays. */
  effect: Html | string;
  /** With the button that does it. */
  form: Form;
  /** Where to go without a change. */
  back: { path: string; label: string };
};

/** Asks before something is lost, and says what. Works without a script. */
export function askPage(call: MemberCall, it: Ask, faults?: Faults): Html {
  const main = html`<h1>${it.title}</h1>
    <section class="card" aria-labelledby="about">
      <h2 id="about">${it.about}</h2>
      ${it.facts && rows('rows', it.facts)}
      <p>${it.effect}</p>
      ${form(call, { kind: 'danger', ...it.form }, faults)}
      <p><a href="${call.at(it.back.path)}">${it.back.label}</a></p>
    </section>`;
  return layout(call, { title: it.title, main });
}

/** The button that leads to such a page. */
export const askButton = (
  call: MemberCall,
  path: string,
  hidden: Readonly<Record<string, string>>,
  label: string,
  { name, kind = 'danger' }: { name?: string; kind?: 'plain' | 'danger' } = {},
): Html =>
  html`<form method="get" action="${call.at(path)}" class="form">
    ${Object.entries(hidden).map(([key, value]) => html`<input type="hidden" name="${key}" value="${value}" />`)}
    <button class="${kind}" ${name === undefined ? '' : html`aria-label="${name}"`}>${label}</button>
  </form>`;
