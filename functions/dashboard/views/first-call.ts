import type { MemberCall } from '../page-call.ts';
import type { Needs } from '../needs.ts';
import { html, type Html } from '../html.ts';
import { secretText } from './secret-text.ts';

type Example = Pick<Needs, 'apiUrl' | 'examplePage'>;
type Caller = { fx: Example; hasKey: boolean };

/** Waits for the first call: on reload, or by the script, which polls for some minutes. */
export function firstCallCard(call: MemberCall, it: Caller): Html {
  return html`<section class="card" aria-labelledby="first-call">
    <h2 id="first-call">Make your first call</h2>
    <p
      class="state"
      role="status"
      data-arrival="${call.at('/arrived')}"
      data-arrived="Your first call has arrived."
    >
      No call has arrived yet. Reload this page after yours.
    </p>
    ${snippet(call, it)}
  </section>`;
}

/** Shown once calls arrive. */
export function callCard(call: MemberCall, it: Caller): Html {
  return html`<section class="card" aria-labelledby="first-call">
    <h2 id="first-call">Call the API</h2>
    <p class="state done">Your calls are arriving.</p>
    ${snippet(call, it)}
  </section>`;
}

function snippet(call: MemberCall, { fx, hasKey }: Caller): Html {
  const lead = hasKey
    ? html`Put a key in place of <code>YOUR_KEY</code>.`
    : html`There is no key yet. <a href="${call.at('/keys')}">Create one</a> first.`;
  return html`<p>${lead}</p>
    ${secretText(callWith(fx, 'YOUR_KEY'), 'Copy')}
    <p>
      Agents have the same as tools at <code>${fx.apiUrl}/mcp</code> (MCP).
      <a href="${fx.apiUrl}/docs">Read the documentation</a>
    </p>`;
}

/** A call that needs nothing but a terminal. */
export const callWith = ({ apiUrl, examplePage = 'https://example.com/' }: Example, key: string) =>
  `curl -H "Authorization: Bearer ${key}" "${apiUrl}/api/v1/scraper?url=${examplePage}"`;
