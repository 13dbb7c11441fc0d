import { errorExample } from '../../shared/api/openapi/examples.ts';
import { catalogue, type ErrorCode } from '../../shared/errors.ts';
import { codeBlock } from './code-block.ts';
import { errorHelp } from './error-help.ts';
import { html, type Html } from './html.ts';
import { inline } from './markdown.ts';
import { errorContents } from './contents.ts';
import { page } from './page.ts';
import { operations } from './reference.ts';

const ROOT = '../../';

export function errorPage(code: ErrorCode, version: string): string {
  const { status, title, message, retryable } = catalogue[code];
  const { cause, remedy } = errorHelp[code];
  const main = html`<article class="error">
    <p class="eyebrow"><a href="${ROOT}docs/errors">Errors</a></p>
    <h1><code>${code}</code></h1>
    <p class="lead">${message}</p>
    <dl class="facts">
      <div>
        <dt>Status</dt>
        <dd>${status} ${title}</dd>
      </div>
      <div>
        <dt>Retryable</dt>
        <dd>${retryable ? 'Yes' : 'No'}</dd>
      </div>
      <div>
        <dt>Charge</dt>
        <dd>0 credits</dd>
      </div>
    </dl>
    <h2>Why it happens</h2>
    <p>${inline(cause)}</p>
    <h2>What to do</h2>
    <p>${inline(remedy)}</p>
    <h2>Example</h2>
    ${codeBlock(JSON.stringify(errorExample(code).value, null, 2), 'Response body')} ${returnedBy(code)}
  </article>`;
  return page({
    title: `${code} · Sitefetch API`,
    version,
    root: ROOT,
    contents: errorContents(code),
    main,
    markdown: `${code}.md`,
  });
}

function returnedBy(code: ErrorCode): Html | undefined {
  const returning = operations.filter(({ errors }) => errors.includes(code));
  if (returning.length === 0) return undefined;
  return html`<h2>Returned by</h2>
    <ul>
      ${returning.map(
        ({ operationId, method, path, summary }) =>
          html`<li><a href="${ROOT}docs/${operationId}">${summary}</a> <code>${method} ${path}</code></li>`,
      )}
    </ul>`;
}
