import type { MemberCall } from '../page-call.ts';
import type { Needs } from '../needs.ts';
import { html, type Html } from '../html.ts';
import { snippets } from '../assets/snippets.js';
import { languageTabs } from './language-tabs.ts';

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
    ${callWith(fx, 'YOUR_KEY')}
    <p>
      Agents have the same as tools at <code>${fx.apiUrl}/mcp</code> (MCP).
      <a href="${fx.apiUrl}/docs">Read the documentation</a>
    </p>`;
}

/** A first call in each language, with this key. The one for curl needs nothing but a terminal. */
export function callWith({ apiUrl, examplePage: url = 'https://example.com/' }: Example, key: string): Html {
  const endpoint = `${apiUrl}/api/v1/scraper`;
  return languageTabs((language) =>
    language === 'curl'
      ? `curl -H "Authorization: Bearer ${key}" "${endpoint}?url=${url}"`
      : snippets[language](endpoint, { url }, key),
  );
}
