import { isRedirect } from '../../../shared/domain/target/redirect.ts';
import { bringsUser, isWeb } from '../../../shared/domain/target/target-url.ts';
import { hasStandIn } from './answer-blocked.ts';
import { documentType } from './document-type.ts';
import type { Pause } from './network.ts';

/** What becomes of a pause: exactly one of these. A body that is taken is kept, or given back to Chromium. */
export type Answer = 'continue' | 'fail' | 'fulfil' | 'take';

/** What is paused before it goes out, and on its way back. */
type What = {
  request: 'media' | 'replaced' | 'own' | 'other';
  response:
    'download' | 'leaving' | 'other' | 'redirect' | 'forbidden' | 'staying' | 'empty' | 'page' | 'file';
};

/** Every pause, by its stage, has one row. */
export const ANSWERS: { readonly [Stage in keyof What]: Readonly<Record<What[Stage], Answer>> } = {
  request: {
    media: 'fail',
    /** A picture or font that is not loaded: pages wait for them. */
    replaced: 'fulfil',
    /** Takes the caller's headers along. */
    own: 'continue',
    other: 'continue',
  },
  response: {
    /** A link only downloads it. It is paused as a document, but has no network id. */
    download: 'fail',
    /** A redirect to another origin is followed anew: Chromium would take a Referer of the caller's along. */
    leaving: 'fail',
    other: 'continue',
    redirect: 'continue',
    /** A redirect that no scrape follows. */
    forbidden: 'fail',
    /** A file that a page starts to download leaves the page where it is, and so does an answer without a body. */
    staying: 'fail',
    /** A bodiless answer to the scrape itself is an empty page. */
    empty: 'fail',
    page: 'continue',
    /** Its type says that it is none, or nothing. */
    file: 'take',
  },
};

/** Paused on its way out, and not on its way back. */
export const isOutgoing = ({ responseStatusCode, responseErrorReason }: Pause) =>
  responseStatusCode === undefined && responseErrorReason === undefined;

/** A response without a body, at which Chromium stays where it is: https://www.rfc-editor.org/rfc/rfc9110#section-6.4.1 */
const isBodiless = (status: number) => status === 204 || status === 205 || status === 304;

const isAttachment = (pause: Pause) => /^\s*attachment/i.test(headerOf(pause, 'content-disposition') ?? '');

/** What a paused request is. */
export function requestKind(pause: Pause, isOwn: boolean, isBlocking: boolean): What['request'] {
  if (isBlocking && pause.resourceType === 'Media') return 'media';
  if (isBlocking && hasStandIn(pause)) return 'replaced';
  return isOwn ? 'own' : 'other';
}

type Context = {
  mainFrame: string;
  isShown: boolean;
  /** Whether a redirect leads away with a Referer of the caller's. */
  leaves: (from: string, location: string) => boolean;
};

/** What a paused response is, to a main frame that shows a document already or does not. */
export function responseKind(pause: Pause, { mainFrame, isShown, leaves }: Context): What['response'] {
  const { frameId, networkId, responseStatusCode: status, request, resourceType } = pause;
  const location = headerOf(pause, 'location');
  const isMain = frameId === mainFrame && resourceType === 'Document';
  if (isMain && networkId === undefined) return 'download';
  if (!isMain || status === undefined) return 'other';
  if (isRedirect(status, location)) {
    if (!isAllowed(location, request.url)) return 'forbidden';
    return leaves(request.url, location) ? 'leaving' : 'redirect';
  }
  if (isShown && (isAttachment(pause) || isBodiless(status))) return 'staying';
  if (isBodiless(status)) return 'empty';
  return documentType(headerOf(pause, 'content-type')) === 'rendered' ? 'page' : 'file';
}

/** Whether a redirect may lead there, as far as the text tells. */
function isAllowed(location: string, from: string): boolean {
  const url = URL.parse(location, from);
  return isWeb(url) && !bringsUser(url);
}

/** The header's value, or values joined with commas. Undefined if there is none. */
export function headerOf({ responseHeaders }: Pause, name: string): string | undefined {
  const values = (responseHeaders ?? []).filter((header) => header.name.toLowerCase() === name);
  return values.length > 0 ? values.map(({ value }) => value).join(', ') : undefined;
}
