import type { PageCall } from '../page-call.ts';
import { form } from './form.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';

export function confirmPage(call: PageCall, email: string, faults?: Faults): Html {
  const code = { name: 'code', label: 'Code', autocomplete: 'one-time-code', isNumeric: true };
  const main = html`<h1>Confirm your address</h1>
    <p>
      We have mailed a code of six digits to <strong>${email}</strong>. No mail? Look in your spam folder, or
      sign in if you have an account.
    </p>
    ${form(call, { action: '/confirm', fields: [code], submit: 'Confirm' }, faults)}
    ${form(call, { action: '/resend', submit: 'Send another code', kind: 'plain' })}`;
  return layout(call, { title: 'Confirm your address', main });
}
