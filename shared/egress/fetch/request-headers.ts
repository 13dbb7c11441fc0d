import { ACCEPT_LANGUAGE, clientHintsOf } from '../chrome-identity.ts';
import type { Device } from '../../contract/scrape/scrape-request.ts';

type Header = readonly [name: string, value: string];

const DOCUMENT: Header = [
  'Accept',
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
];
/** https://w3c.github.io/webappsec-fetch-metadata/#framework */
const FETCH_METADATA: readonly Header[] = [
  ['Sec-Fetch-Site', 'none'],
  ['Sec-Fetch-Mode', 'navigate'],
  ['Sec-Fetch-User', '?1'],
  ['Sec-Fetch-Dest', 'document'],
];

type Options = {
  /** Override Chrome's headers of the same name; the others follow them. */
  own: Readonly<Record<string, string>>;
  cookie: string;
  userAgent: string;
  device: Device;
};

/** In Chrome's order and case. The client adds `Host`, and for HTTP/2 drops `Connection`. */
export function requestHeaders(url: URL, { own, cookie, userAgent, device }: Options): Header[] {
  // Chrome sends fewer headers to insecure origins.
  const isSecure = url.protocol === 'https:';
  const names = new Map(Object.keys(own).map((name) => [name.toLowerCase(), name]));
  const hints = isSecure && !names.has('user-agent') ? clientHintsOf(device) : [];
  const chrome: Header[] = [
    ['Connection', 'keep-alive'],
    ...hints,
    ['Upgrade-Insecure-Requests', '1'],
    ['User-Agent', userAgent],
    DOCUMENT,
    ...(isSecure ? FETCH_METADATA : []),
    ['Accept-Encoding', isSecure ? 'gzip, deflate, br, zstd' : 'gzip, deflate'],
    ['Accept-Language', ACCEPT_LANGUAGE],
  ];
  const priority: Header[] = isSecure ? [['Priority', 'u=0, i']] : [];
  const ofCaller = (header: Header): Header => {
    const name = names.get(header[0].toLowerCase());
    return name === undefined ? header : [header[0], own[name] ?? ''];
  };
  const taken = new Set([...chrome, ...priority].map(([name]) => name.toLowerCase()));
  const others = [...names].flatMap(([key, name]): Header[] =>
    taken.has(key) ? [] : [[name, own[name] ?? '']],
  );
  const cookies: Header[] = cookie === '' ? [] : [['Cookie', cookie]];
  return [...chrome.map(ofCaller), ...others, ...cookies, ...priority.map(ofCaller)];
}
