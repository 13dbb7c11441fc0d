import type { MemberCall } from '../page-call.ts';
import type { Needs } from '../needs.ts';
import { callWith } from '../views/first-call.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../views/layout.ts';
import { secretText } from '../views/secret-text.ts';

/** Shown at the first sign-in to an organization, with its first key, only once. */
export function welcomePage(call: MemberCall, fx: Needs, key: string): Html {
  const main = html`<h1>Welcome</h1>
    <section class="card" aria-labelledby="key">
      <h2 id="key">Your API key</h2>
      <p><strong>It is shown only once.</strong> Store it where your programs find it.</p>
      ${secretText(key, 'Copy the key')}
    </section>
    <section class="card" aria-labelledby="first-call">
      <h2 id="first-call">Make your first call</h2>
      ${callWith(fx, key)}
      <p><a class="button" href="${call.at('/')}">Continue to Home</a></p>
    </section>`;
  return layout(call, { title: 'Welcome', main });
}
