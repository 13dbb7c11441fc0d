import { assetPath } from '../assets.ts';
import type { MemberCall } from '../page-call.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import { fieldGroups, isBasic, requestField, requestFields } from './request-fields.ts';
import { languageTabs } from './language-tabs.ts';

type Shown = {
  /** Where the scrape is sent. */
  endpoint: string;
  /** Credits by `premium_proxy`, then by `render_js`. */
  costs: readonly (readonly number[])[];
  /** Whether the API takes calls from this address of the dashboard. */
  isOpen: boolean;
  dashboardUrl: string | undefined;
  /** The page that a new form requests. */
  examplePage: string | undefined;
};

export function playgroundPage(call: MemberCall, it: Shown): Html {
  const main = html`<h1>Playground</h1>
    <p class="lead">
      Scrapes a page with a key that is valid for ten minutes, is known only to this page and can only scrape.
      It uses your organization's credits.
    </p>
    <noscript
      ><p class="notice">
        The playground needs JavaScript. The <a href="${call.at('/')}">first call</a> does not.
      </p></noscript
    >
    ${!it.isOpen && closed(it)}
    <div class="playground">
      ${request(call, it)}
      <div>${snippets} ${response}</div>
    </div>`;
  return layout(call, { title: 'Playground', main, script: 'playground.js' });
}

function closed({ dashboardUrl }: Shown): Html {
  return dashboardUrl === undefined
    ? html`<p class="notice">
        The API takes no calls from this page: the operator has not set the dashboard's address. The form
        writes calls for your own programs.
      </p>`
    : html`<p class="notice">
        The API takes calls from the dashboard at <a href="${dashboardUrl}">${dashboardUrl}</a> alone. Open it
        there to send them.
      </p>`;
}

function request(call: MemberCall, { endpoint, costs, isOpen, examplePage }: Shown): Html {
  return html`<form
    id="playground"
    class="card"
    data-endpoint="${endpoint}"
    data-key="${call.at('/playground-key')}"
    data-costs="${JSON.stringify(costs)}"
    data-marked="${call.at(assetPath('marked.js'))}"
    data-snippets="${call.at(assetPath('snippets.js'))}"
    data-open="${String(isOpen)}"
    aria-label="Request"
  >
    ${requestFields.filter(isBasic).map((field) => requestField(field, examplePage))}
    ${fieldGroups.map(
      ({ name, fields }) =>
        html`<details>
          <summary>${name}</summary>
          ${fields.map((field) => requestField(field))}
        </details>`,
    )}
    <p class="cost">
      Costs <output id="cost">${costs[0]?.[0]} credit</output> if the page is delivered, nothing if not.
    </p>
    <div class="buttons">
      <button class="primary" disabled>Send</button>
      <button type="button" id="cancel" hidden>Cancel</button>
    </div>
  </form>`;
}

const snippets = html`<section class="card" aria-labelledby="as-code">
  <h2 id="as-code">As code</h2>
  ${languageTabs(() => '')}
  <p class="hint">With a <code>SITEFETCH_KEY</code> of your own in the environment.</p>
</section>`;

const response = html`<section class="card" id="response" aria-labelledby="answer" tabindex="-1" hidden>
  <h2 id="answer">Response</h2>
  <p class="outcome"><strong id="outcome" role="status"></strong> <span id="charged"></span></p>
  <details>
    <summary>Headers</summary>
    <dl class="headers" id="headers"></dl>
  </details>
  <h3>Body</h3>
  <p class="hint" id="about-body"></p>
  <p id="next-part" hidden>
    <button type="button" id="next">Get the next part</button> <span class="hint">It is another scrape.</span>
  </p>
  <img id="picture" alt="The picture that came back" hidden />
  <iframe id="rendered" title="The Markdown as a page" sandbox hidden></iframe>
  <pre id="body" tabindex="0" role="group" aria-label="Body"></pre>
  <p><a class="button" id="save" download>Save the body</a></p>
</section>`;
