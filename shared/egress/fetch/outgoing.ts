import type { TargetMethod } from '../../contract/scrape/target-request.ts';

type Pairs = Readonly<Record<string, string>>;

/** A request to the target at one step of its redirects. */
export type Outgoing = {
  method: TargetMethod;
  body: string | undefined;
  /** The caller's headers that still go with it. */
  own: Pairs;
};

type Wanted = { method?: TargetMethod | undefined; body?: string | undefined; headers?: Pairs | undefined };

/** https://fetch.spec.whatwg.org/#request-body-header-name */
const ABOUT_BODY = ['content-type', 'content-encoding', 'content-language', 'content-location'];
const isAboutBody = (name: string) => ABOUT_BODY.includes(name.toLowerCase());
/** Of text without a type: https://fetch.spec.whatwg.org/#bodyinit-unions */
const TEXT = { 'Content-Type': 'text/plain;charset=UTF-8' };

export function outgoing({ method = 'GET', body, headers = {} }: Wanted): Outgoing {
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return { method, body, own: body === undefined || isTyped ? headers : { ...headers, ...TEXT } };
}

/** The request that follows a redirect: https://fetch.spec.whatwg.org/#http-redirect-fetch */
export function redirected(sent: Outgoing, status: number, staysOnOrigin: boolean): Outgoing {
  const becomesGet =
    sent.method === 'POST' ? [301, 302, 303].includes(status) : status === 303 && sent.method !== 'GET';
  const kept: Outgoing = becomesGet ? { method: 'GET', body: undefined, own: without(sent.own) } : sent;
  return staysOnOrigin ? kept : { ...kept, own: only(kept.own) };
}

const without = (own: Pairs) =>
  Object.fromEntries(Object.entries(own).filter(([name]) => !isAboutBody(name)));

/** What describes the body goes with it; the caller's other headers are for the first origin. */
const only = (own: Pairs) => Object.fromEntries(Object.entries(own).filter(([name]) => isAboutBody(name)));
