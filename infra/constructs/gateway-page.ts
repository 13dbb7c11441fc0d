import { stylePolicy } from '../../shared/http/style-policy.ts';
import { catalogue, type ErrorCode } from '../../shared/errors.ts';
import { html, raw, textOf } from '../docs/html.ts';

const AGAIN = 'If you sent a form, check whether it took effect before you send it again.';

/** What people can do about an error of API Gateway itself. */
const advice = {
  not_found: 'There is no page at this address.',
  request_too_large: 'This is more than any form here accepts. Shorten what you entered and send it again.',
  unsupported_media_type: 'This form was not sent by a browser.',
  rate_limited: 'Too many requests came from your network. Wait a minute and load the page again.',
  timeout: `The page took too long. Load it again. ${AGAIN}`,
  internal: `The page could not be generated. Try again in a minute. ${AGAIN}`,
  invalid_request: 'The browser sent a request that is not valid, or its address is too long.',
} as const satisfies Partial<Record<ErrorCode, string>>;

export type GatewayCode = keyof typeof advice;

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1.25rem}';

const POLICY = stylePolicy(STYLE);

type Where = { mount: string; retryAfter?: number | undefined };

/** A page without a file or script of its own: the gateway sends it when it reaches no function. */
export function faultPage(code: GatewayCode, { mount, retryAfter }: Where) {
  return {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'same-origin',
      'Strict-Transport-Security': 'max-age=63072000',
      ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    },
    body: page(catalogue[code].title, advice[code], mount),
  };
}

function page(title: string, text: string, mount: string): string {
  return textOf(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title} · Sitefetch</title>
          ${raw(`<style>${STYLE}</style>`)}
        </head>
        <body>
          <main>
            <h1>${title}</h1>
            <p>${text}</p>
            <p>Request <code>$context.requestId</code></p>
            <p><a href="${mount}/">Go to the first page</a></p>
          </main>
        </body>
      </html> `,
  );
}
