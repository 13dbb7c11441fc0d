import type { Route } from '../../shared/api/route.ts';
import { requests } from '../../shared/api/openapi/examples.ts';
import { html, type Html } from './html.ts';
import { Parameter } from './schema.ts';

/** A form that the page's script sends to the API it was served by. The key stays in the form. */
export function tryIt({ operationId, method, path, auth, body, parameters }: Route): Html {
  const inputs = parameters
    .map((parameter) => Parameter.parse(parameter))
    .filter((parameter) => parameter.in === 'path' || (parameter.in === 'query' && parameter.required));
  const takesMore = parameters.some((parameter) => parameter['in'] === 'query');
  return html`<details class="try">
    <summary>Try it</summary>
    <form data-method="${method}" data-path="${path}" aria-label="Try ${operationId}">
      ${auth === 'key' ? keyField : undefined} ${inputs.map(inputField)}
      ${takesMore ? moreField(parameters) : undefined} ${body === undefined ? undefined : bodyField}
      <button type="submit">Send</button>
      <p class="outcome" role="status"></p>
      <pre class="received" tabindex="0" role="group" aria-label="Response body" hidden></pre>
    </form>
  </details>`;
}

const keyField = html`<label
  >API key
  <input type="password" name="key" required autocomplete="off" spellcheck="false" placeholder="sf_..."
/></label>`;

function moreField(parameters: Route['parameters']): Html {
  const value = parameters.some(({ name }) => name === 'render_js') ? 'render_js=true' : '';
  return html`<label
    >More parameters <input name="more" autocomplete="off" spellcheck="false" value="${value}"
  /></label>`;
}

const bodyField = html`<label
  >JSON body
  <textarea name="body" rows="5" spellcheck="false">
${JSON.stringify({ url: requests.rendered.value.url, render_js: true }, null, 2)}</textarea>
</label>`;

function inputField({ name, in: place, schema }: Parameter): Html {
  const value = place === 'query' && schema.format === 'uri' ? requests.plain.value.url : '';
  return html`<label
    >${name}
    <input name="${name}" data-in="${place}" required autocomplete="off" spellcheck="false" value="${value}"
  /></label>`;
}
