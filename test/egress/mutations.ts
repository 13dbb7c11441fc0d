/** One flag, range or check taken out, and the test file that must go red for it, of the test project its folder names. */
export type Mutation = { file: string; text: string; becomes: string; caughtBy: string };

const range = (text: string): Mutation => ({
  file: 'shared/domain/public-address.ts',
  text,
  becomes: '',
  caughtBy: 'test/unit/public-address.test.ts',
});
const inFile =
  (file: string, caughtBy: string) =>
  (text: string, becomes = ''): Mutation => ({ file, text, becomes, caughtBy });

const decide = inFile('shared/egress/decide.ts', 'test/unit/decide.test.ts');
const guard = inFile('shared/egress/guard.ts', 'test/egress/guard.test.ts');
const target = inFile('shared/egress/read-target.ts', 'test/egress/guard.test.ts');
const upstream = inFile('shared/egress/upstream.ts', 'test/egress/upstream.test.ts');
const fetching = inFile('shared/egress/static-fetch.ts', 'test/egress/static-fetch.test.ts');
const decoding = inFile('shared/egress/decode-body.ts', 'test/egress/static-fetch.test.ts');
const metering = inFile('shared/egress/meter.ts', 'test/egress/meter.test.ts');
const selfTest = inFile('functions/browser/self-test.ts', 'test/egress/self-test.test.ts');
const flags = inFile('functions/browser/flags.ts', 'test/unit/flags.test.ts');
const requests = inFile('shared/domain/target-url.ts', 'test/functional/premium-proxy.test.ts');

export const mutations: readonly Mutation[] = [
  range("  ['10.0.0.0', 8],"),
  range("  ['100.64.0.0', 10],"),
  range("  ['127.0.0.0', 8],"),
  range("  ['169.254.0.0', 16],"),
  range("  ['172.16.0.0', 12],"),
  range("  ['192.168.0.0', 16],"),
  range("  ['2002::', 16],"),
  range('head === MAPPED || '),
  decide('addresses.every(isPublicAddress)', 'addresses.some(isPublicAddress)'),
  decide(' || policy.refuse?.includes(bare)'),
  guard("throw new AppError('url_not_allowed');", 'void 0;'),
  guard("if (meter.isFull()) throw new AppError('response_too_large');"),
  guard('!PROXY_HEADERS.includes(name.toLowerCase())', 'true'),
  target(' || !isFramed'),
  upstream("if (response.statusCode !== 200) throw new AppError('proxy_failed');"),
  fetching('if (next.origin !== url.origin) own = {};'),
  fetching('redirects <= MAX_REDIRECTS', 'redirects <= 2 * MAX_REDIRECTS'),
  fetching("if (size > MAX_PAGE_BYTES) throw new AppError('response_too_large');"),
  fetching('await keepCookies(response, url, jar);'),
  decoding("if (encodings.length > MAX_STAGES) throw new AppError('bad_upstream_response');"),
  decoding('{ maxOutputLength: limit }', '{ maxOutputLength: 4 * limit }'),
  metering("const age = setTimeout(end, maxAgeMs, 'timeout');", 'const age = undefined;'),
  metering("if (received > maxBytes) end('response_too_large');"),
  selfTest('isOpen || !isRefused', 'isOpen'),
  requests("!refuse.includes(host.replace(/\\.$/, ''))", 'true'),
  flags("'--proxy-bypass-list=<-loopback>',"),
  flags("'--force-webrtc-ip-handling-policy=disable_non_proxied_udp',"),
  flags("'--disable-quic',"),
  flags("'--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',"),
];
