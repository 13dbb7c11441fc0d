import { accountMutations } from './account-mutations.ts';
import { batchMutations } from './batch-mutations.ts';
import { backlogMutations } from './backlog-mutations.ts';
import { startedBySlotMutations } from './started-by-slot-mutations.ts';
import { uploadMutations } from './upload-mutations.ts';
import { outputMutations } from './output-mutations.ts';
import { scenarioMutations } from './scenario-mutations.ts';
import { webhookMutations } from './webhook-mutations.ts';
import { inFile, type Mutation } from './mutation.ts';

const address = inFile('shared/domain/target/public-address.ts', 'test/unit/public-address.test.ts');
const ipv4 = (network: string, prefix: number) =>
  address(`  ['${network}', ${prefix}],`, '', `the IPv4 address ${network} is not public, alone`);
const ipv6 = (network: string, prefix: number, inside: string) =>
  address(`  ['${network}', ${prefix}],`, '', `the IPv6 address ${inside} is not public`);
const host = inFile('shared/domain/target/target-host.ts', 'test/unit/decide.test.ts');
const decide = inFile('shared/egress/decide.ts', 'test/unit/decide.test.ts');
const dial = inFile('shared/egress/connected.ts', 'test/egress/dial.test.ts');
const pinned = inFile('shared/egress/dial.ts', 'test/egress/namespace.test.ts');
const guard = inFile('shared/egress/guard.ts', 'test/egress/guard.test.ts');
const proxy = inFile('shared/egress/proxy.ts', 'test/egress/proxy.test.ts');
const refusing = inFile('shared/egress/proxy.ts', 'test/egress/guard.test.ts');
const passing = inFile('shared/egress/forward.ts', 'test/egress/proxy.test.ts');
const responses = inFile('shared/egress/forward.ts', 'test/egress/hostile-headers.test.ts');
const answers = inFile('shared/egress/forward.ts', 'test/egress/static-fetch.test.ts');
const headers = inFile('shared/egress/passed-headers.ts', 'test/egress/proxy.test.ts');
const framing = inFile('shared/egress/passed-headers.ts', 'test/egress/hostile-headers.test.ts');
const secrets = inFile('shared/egress/passed-headers.ts', 'test/egress/guard.test.ts');
const joining = inFile('shared/egress/join-sockets.ts', 'test/egress/proxy.test.ts');
const keeping = inFile('shared/egress/kept-connection.ts', 'test/egress/guard.test.ts');
const idling = inFile('shared/egress/kept-connection.ts', 'test/egress/proxy.test.ts');
const named = inFile('shared/egress/read-target.ts', 'test/egress/proxy.test.ts');
const target = inFile('shared/egress/read-target.ts', 'test/egress/guard.test.ts');
const traffic = inFile('shared/egress/traffic.ts', 'test/egress/traffic.test.ts');
const upstream = inFile('shared/egress/upstream.ts', 'test/egress/upstream.test.ts');
const judging = inFile('shared/egress/dialler.ts', 'test/egress/guard.test.ts');
const routing = inFile('shared/egress/dialler.ts', 'test/egress/upstream.test.ts');
const fetching = inFile('shared/egress/fetch/static-fetch.ts', 'test/egress/static-fetch.test.ts');
const redirecting = inFile('shared/egress/fetch/outgoing.ts', 'test/egress/request-headers.test.ts');
const decoding = inFile('shared/egress/fetch/decode-body.ts', 'test/egress/static-fetch.test.ts');
const decoders = inFile('shared/egress/fetch/decoders.ts', 'test/egress/static-fetch.test.ts');
const encodings = inFile('shared/egress/fetch/encodings-of.ts', 'test/egress/static-fetch.test.ts');
const members = inFile('shared/egress/fetch/decode-members.ts', 'test/egress/static-fetch.test.ts');
const client = inFile('shared/egress/fetch/chrome-client.ts', 'test/egress/static-fetch.test.ts');
const lines = inFile('shared/egress/fetch/chrome-client.ts', 'test/egress/hostile-headers.test.ts');
const faults = inFile('shared/egress/fetch/fetch-fault.ts', 'test/egress/static-fetch.test.ts');
const selfTest = inFile('functions/browser/isolate/assert-sealed.ts', 'test/egress/assert-sealed.test.ts');
const flags = inFile('functions/browser/isolate/chromium-flags.ts', 'test/unit/chromium-flags.test.ts');
const flag = (name: string) => flags(`  '${name}',`, '', `Chromium is started with ${name}`);
const canaries = inFile('functions/browser/isolate/chromium-flags.ts', 'test/egress/hostile-browser.test.ts');
const page = inFile('functions/browser/page/prepare-page.ts', 'test/browser/hostile.test.ts');
const blocked = inFile('functions/browser/page/answer-blocked.ts', 'test/browser/blocking.test.ts');
const popups = inFile('functions/browser/isolate/chromium-flags.ts', 'test/browser/hostile.test.ts');
const frames = inFile('functions/browser/ready/watch-growth.ts', 'test/browser/hostile.test.ts');
const growth = inFile('functions/browser/ready/watch-growth.ts', 'test/unit/watch-growth.test.ts');
const documents = inFile('functions/browser/page/documents.ts', 'test/browser/documents.test.ts');
const moves = inFile('functions/browser/page/documents.ts', 'test/browser/hostile.test.ts');
const headersHome = inFile('functions/browser/page/own-headers.ts', 'test/browser/own-headers.test.ts');
const flow = inFile('functions/browser/ready/watch-flow.ts', 'test/unit/watch-flow.test.ts');
const answered = inFile('shared/adapters/web/lambda-renderer.ts', 'test/browser/lambda-renderer.test.ts');
const profile = inFile('functions/browser/isolate/launch-chromium.ts', 'test/browser/hostile.test.ts');

const launched = inFile(
  'functions/browser/isolate/launch-chromium.ts',
  'test/egress/browser-process.test.ts',
);
const lifetime = inFile('functions/browser/serve-until-spent.ts', 'test/browser/serve-until-spent.test.ts');
const waiting = inFile('functions/worker/scrape-job.ts', 'test/functional/throttled-jobs.test.ts');

const sending = inFile('shared/http/send.ts', 'test/functional/send.test.ts');
const metering = inFile('shared/http/respond.ts', 'test/functional/metering.test.ts');
const drawing = inFile('shared/http/meter.ts', 'test/functional/metering.test.ts');
const delivery = inFile('shared/http/meter.ts', 'test/functional/answer-first.test.ts');
const readers = inFile('shared/domain/credits/admission.ts', 'test/contract/accounts.test.ts');
const naming = inFile('shared/request/nearest-to.ts', 'test/functional/work-before-admission.test.ts');
const ranging = inFile('shared/http/conditions.ts', 'test/functional/work-before-admission.test.ts');

const NEVER = 'Infinity';

export const mutations: readonly Mutation[] = [
  ipv4('0.0.0.0', 8),
  ipv4('10.0.0.0', 8),
  ipv4('100.64.0.0', 10),
  ipv4('127.0.0.0', 8),
  ipv4('168.63.129.16', 32),
  ipv4('169.254.0.0', 16),
  ipv4('172.16.0.0', 12),
  ipv4('192.0.0.0', 24),
  ipv4('192.0.2.0', 24),
  ipv4('192.88.99.0', 24),
  ipv4('192.168.0.0', 16),
  ipv4('198.18.0.0', 15),
  ipv4('198.51.100.0', 24),
  ipv4('203.0.113.0', 24),
  ipv4('224.0.0.0', 4),
  ipv4('240.0.0.0', 4),
  ipv6('2001::', 23, '2001:2::1'),
  ipv6('2001:db8::', 32, '2001:db8::1'),
  ipv6('2002::', 16, '2002:7f00:1::'),
  ipv6('3fff::', 20, '3fff::1'),
  address('head === MAPPED || ', '', 'the IPv4 address 8.8.8.8 is public, mapped'),
  address(' || head === NAT64', '', 'the IPv4 address 8.8.8.8 is public, mapped'),
  address("(groups.slice(4, 6).join(':'))", "('')", 'the IPv4 address 127.0.0.0 is not public, alone'),
  address(
    'globalUnicast.check(address',
    '!globalUnicast.check(address',
    'the IPv6 address 4000::1 is not public',
  ),
  address("|| address.includes('%')", '', '2606:4700::1%eth0'),
  host("PORTS.includes(port) ? undefined : 'port'", 'undefined', 'port 22 is closed'),
  host(
    "if (literal === undefined && !name.includes('.')) return 'host';",
    '',
    'the name printer is refused without a DNS query',
  ),
  host(
    "if (literal === undefined && PRIVATE_NAME.test(name)) return 'private';",
    '',
    'the name nas.local is refused without a DNS query',
  ),
  host('!BRACKETED.test(host) && !NAME.test(host)', 'false', 'a private target on the allow list is dialled'),
  decide(
    'addresses.every(isPublicAddress)',
    'addresses.some(isPublicAddress)',
    'a name that resolves to ["93.184.216.34","127.0.0.1"] is refused',
  ),
  decide(
    '[resolver.resolve4(name), resolver.resolve6(name)]',
    '[resolver.resolve4(name)]',
    'a name with AAAA records only',
  ),
  decide(' || policy.refuse?.includes(bare)', '', 'a public host on the refuse list is refused'),
  decide("signal?.addEventListener('abort', cancel, { once: true });", '', 'an unresponsive name server'),
  dial('setTimeout(abort, timeoutMs)', 'undefined', 'a host that drops packets is connect_failed'),
  dial("signal.addEventListener('abort', abort, { once: true });", '', 'a connect ends at once'),
  pinned(
    'connect({ ...pinnedTo(addresses), port',
    "connect({ ...pinnedTo(addresses), host: '127.0.0.1', port",
    'no private address received a connection',
  ),
  judging(
    "if (target.port === port && verdict.addresses.some(isLoopback)) throw new AppError('url_not_allowed');",
    '',
    'the guard does not connect to itself',
  ),
  guard(
    "if (traffic.isFull()) throw new AppError('response_too_large');",
    '',
    'can open no more connections',
  ),
  judging(
    "if (!target.isPlain) throw new AppError('url_not_allowed');",
    '',
    'a request with a user in its URL',
  ),
  refusing(
    '=> void client.destroy());',
    '=> void client.end("no"));',
    'the request line "nonsense" gets no response',
  ),
  refusing(
    'return void client.end(REFUSED);',
    'return void client.end(ESTABLISHED);',
    'is refused without a reason',
  ),
  proxy(".on('checkContinue', serve)", '', 'that expects 100 Continue'),
  proxy(".on('checkExpectation', serve)", '', 'with an unknown expectation'),
  proxy('requireHostHeader: false,', '', 'are not added by the proxy'),
  proxy('client.unshift(head)', 'void head', 'works in both directions once the target'),
  secrets("name.startsWith('proxy-') || ", '', 'the target does not receive proxy headers'),
  headers('dropped.push(...listed(rawHeaders[index + 1]))', 'void listed', 'of a request keep their order'),
  headers(' && !FORBIDDEN.test(value)', '', 'of a response keep their order'),
  framing("['content-length'] : []", '[] : []', 'chunks take precedence over a length'),
  passing('sent.maxHeadersCount = 0;', '', 'are passed on, all 3000 of them'),
  passing('resetSoon(client);', '', 'without a length that is reset resets the client'),
  passing('response.sendDate = false;', '', 'are not added by the proxy'),
  passing("sent.once('close', () => request.resume());", '', 'that gets an early response'),
  answers('(incoming.statusCode ?? 0) < 100', 'false', 'a status below 100'),
  responses(
    ", '', passedHeaders(incoming.rawHeaders)",
    ", incoming.statusMessage ?? '', passedHeaders(incoming.rawHeaders)",
    'an invalid reason phrase',
  ),
  joining('target.allowHalfOpen = true;', '', 'whose target ends first stays open'),
  joining('hadError ? resetSoon(client) : ', '', 'a reset tunnel resets the client'),
  joining("client.once('close', () => target.destroy());", '', 'closes when its client disconnects'),
  idling("socket.once('data', end);", '', 'a connection with unrequested bytes'),
  idling(
    'wanted?.isPlain === true ? kept.get(client) : undefined',
    'kept.get(client)',
    'does not reach a target over a kept connection',
  ),
  named(' ?? host.toLowerCase()', " ?? ''", 'the invalid host in http://127.0.0.1!/ is not allowed'),
  idling('kept.delete(client);', '', 'pipelined requests do not share a connection'),
  keeping(
    'target.host === wanted.host && target.port === wanted.port && ',
    '',
    'never share a connection between client connections',
  ),
  keeping("client.once('close', end);", '', 'leave no connection open when their client'),
  target('isFramed(request) && ', '', 'a chunked body on GET'),
  target('/^(?<host>', '/(?<host>', 'CONNECT to the invalid authority "a@127.0.0.1:PORT"'),
  target('{1,5})$/i', '{1,5})/i', 'CONNECT to the invalid authority "127.0.0.1:PORT/x"'),
  target(" && username === ''", '', 'a request with a user in its URL'),
  traffic("socket.setTimeout(maxIdleMs, () => end('timeout'));", '', 'a connection that is idle is ended'),
  traffic(
    "const age = setTimeout(end, maxAgeMs, 'timeout');",
    'const age = undefined;',
    'is busy but too old',
  ),
  traffic("if (received > maxBytes) end('response_too_large');", '', 'receives too much is ended soon'),
  upstream(
    "if (response.statusCode !== 200) throw new AppError('proxy_failed');",
    '',
    'a proxy that responds with 407',
  ),
  upstream(
    "throw new AppError('proxy_failed');\n  } finally",
    "return dial({ addresses: ['127.0.0.1'], port: target.port }, signal);\n  } finally",
    'without a direct connection',
  ),
  upstream(
    '  } catch {\n    socket',
    '  } catch (cause) {\n    throw cause;\n    socket',
    'are not revealed',
  ),
  upstream('if (head.length > 0) tunnel.unshift(head);', '', 'response of the proxy are not lost'),
  routing(
    'const verdict = await decide(target.host, target.port, policy, signal);',
    'const verdict = upstreamUrl ? { addresses: [] } : await decide(target.host, target.port, policy, signal);',
    'is refused before the proxy is contacted',
  ),
  fetching(' || hasCredentials(url)', '', 'a redirect to a URL with a user'),
  documents(
    'isWeb(target) && hasCredentials(target) ? failing(',
    'false ? failing(',
    'a navigation to a URL with a user is refused: /goes-as-user',
  ),
  redirecting(
    'staysOnOrigin ? kept',
    'staysOnOrigin || true ? kept',
    "the caller's headers are sent to their origin only",
  ),
  fetching(
    'redirects <= MAX_REDIRECTS',
    'redirects <= 2 * MAX_REDIRECTS',
    '11 redirects give too_many_redirects',
  ),
  client("redirect: 'manual'", "redirect: 'follow'", 'a redirect to a private server does not reach it'),
  lines('maxHeaders: 4_000', 'maxHeaders: 100', '101 headers are accepted'),
  fetching(
    'if (others.some((other) => other !== first))',
    'if (false)',
    'a redirect response with two addresses',
  ),
  decoders(
    'isWrapped(body) ? inflateWrapped : inflateBare',
    'inflateWrapped',
    'content encoded with "deflate "',
  ),
  members(
    "if (tail.length < GZIP_TAIL_BYTES || tail.readUInt32LE() !== crc32(buffer)) throw new Error('corrupt gzip');",
    '',
    'truncated content under "gzip"',
  ),
  members('maxOutputLength - size', 'maxOutputLength', 'a bomb of many parts under "zstd"'),
  fetching("if (size > MAX_PAGE_BYTES) throw new AppError('response_too_large');", '', 'a page over 50 MB'),
  client('        signal,\n', '', 'a target that never responds is a timeout'),
  fetching(
    "signal.addEventListener('abort', cancel, { once: true });",
    '',
    'a target that stalls is a timeout',
  ),
  encodings('if (encodings.length > MAX_STAGES)', 'if (false)', 'five nested encodings are decoded'),
  decoding('{ maxOutputLength: limit }', '{ maxOutputLength: 4 * limit }', 'a bomb under "gzip, br"'),
  faults(
    "['client error (Connect)', 'tls_failed']",
    "['client error (Connect)', 'connect_failed']",
    'an untrusted certificate is tls_failed',
  ),
  faults('if (seen) return seen;', '', 'a dead port is connect_failed'),
  selfTest('isOpen || !isRefused', 'isOpen', 'even without a server there'),
  selfTest('...(runtimeApi === undefined ? [] : [runtimeApi])', '', 'when the Runtime API is reachable'),
  flag('--proxy-bypass-list=<-loopback>'),
  flag('--force-webrtc-ip-handling-policy=disable_non_proxied_udp'),
  flag('--disable-quic'),
  flag('--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'),
  flag('--dns-prefetch-disable'),
  flag('--no-pings'),
  flag('--disable-background-networking'),
  flag('--block-new-web-contents'),
  flag('--incognito'),
  flags("['--single-process']", '[]', 'the two lists differ in --single-process alone'),
  flags(
    "  '--no-sandbox',",
    "  '--no-sandbox',\n  '--disable-web-security',",
    'no flag contains --disable-web-security',
  ),
  canaries("  '--proxy-bypass-list=<-loopback>',", '', 'no private address received a connection'),
  canaries(
    "  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',",
    '',
    'no private address received a datagram',
  ),
  blocked("urlPattern: 'http*'", "urlPattern: 'ftp*'", 'a blocked resource counts as loaded'),
  popups("  '--block-new-web-contents',", '', 'popups are not opened'),
  page(
    "ignoreGone(page.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }));",
    'void type;',
    'dialogs are dismissed',
  ),
  frames('MAX_TARGETS = 100', `MAX_TARGETS = ${NEVER}`, '150 workers make the page partial'),
  growth('MAX_FRAMES = 500', `MAX_FRAMES = ${NEVER}`, 'a page may have 500 frames and no more'),
  flow('flowedAt = now();', '', 'a large document delays frames while it is received'),
  answered('{ maxOutputLength: MAX_PAGE_BYTES }', '{}', 'gzip of more than 50 MB'),
  headersHome(
    ' || (redirectedRequestId !== undefined && !carriers.has(redirectedRequestId))',
    '',
    'a redirect back from another origin gets no caller headers',
  ),
  moves('redirects > MAX_REDIRECTS', `redirects > ${NEVER}`, 'a page that navigates in circles'),
  profile('await removeProfile(profile);', '', 'a scrape leaves nothing for the next one'),
  launched('ulimit -c 0; ', '', 'the soft and hard limits prevent a core dump'),
  lifetime('scrapes < lifetime.scrapes && ', '', 'has served its number of scrapes'),
  lifetime(' && free >= lifetime.freeBytes', '', 'has little space left in /tmp'),
  waiting('withoutAttempt(job)', 'job', 'waits for a free browser without using up an attempt'),
  waiting(' && page === undefined', '', 'because the target was visited'),
  waiting('fencingToken * GOLDEN_RATIO', '0', 'waits for a free browser without using up an attempt'),
  sending('Math.min(patienceMs, endsAt - since)', 'endsAt - since', 'when it reads nothing'),
  sending('Math.min(patienceMs, endsAt - since)', 'patienceMs', 'when it is still reading'),
  sending("sent > UNHELD_BYTES ? 'response' : 'finish'", "'finish'", 'when it leaves only the end'),
  metering("if (!('holds' in route)) await meter.draw();", '', 'a request for a status (200)'),
  metering('    await meter.draw();\n    throw', '    throw', 'with a wrong field (400)'),
  drawing('state.isDrawn = isThrottled(admission);', '', 'with too few credits (402)'),
  delivery("reason: 'no_page', charged: 0 }", "reason: 'no_page' }", 'a page that is cut off is free'),
  readers('if (untils.length >= readersOf(limits))', 'if (!now)', 'admit as many readers of results'),
  naming('name.length > MAX_NAME || ', '', 'is not compared with the field names'),
  ranging('(?<!\\d)(', '(', 'a Range of thousands of digits is parsed'),
  ...accountMutations,
  ...backlogMutations,
  ...startedBySlotMutations,
  ...webhookMutations,
  ...batchMutations,
  ...uploadMutations,
  ...scenarioMutations,
  ...outputMutations,
];
