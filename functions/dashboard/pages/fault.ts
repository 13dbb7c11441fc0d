import { type AppError, catalogue } from '../../../shared/errors.ts';
import type { PageCall } from '../page-call.ts';
import { type DashboardReply, htmlReply } from '../replies.ts';
import { html } from '../html.ts';
import { layout } from '../views/layout.ts';
import { withCode } from '../views/with-code.ts';

/** The page for errors that no form shows. A fault of the service shows no details. */
export function faultPage(call: PageCall, error: AppError): Promise<DashboardReply> {
  const { status, title } = catalogue[error.code];
  const retry = error.retryAfter === undefined ? {} : { 'Retry-After': String(error.retryAfter) };
  const main = html`<h1>${title}</h1>
    <p>${withCode(error.message)}</p>
    <p>Request <code>${call.requestId}</code></p>
    <p><a class="button" href="${call.at('/')}">Go to the first page</a></p>`;
  return htmlReply(layout(call, { title, main }), { status, headers: { ...error.headers, ...retry } });
}
