import { type ResponseHeaders, responseHeaders } from '../../contract/scrape/response-headers.ts';
import { createTransport, fetch, type CustomEmulationOptions, type Headers as SentHeaders } from 'wreq-js';

/** The body is still encoded. */
export type Answer = {
  status: number;
  /** Also undefined for bytes beyond ASCII; several values are joined by `, `. */
  header: (name: string) => string | undefined;
  setCookies: readonly string[];
  headers: ResponseHeaders;
  body: ReadableStream<Uint8Array> | null;
};

export type ChromeClient = {
  /**
   * Sends one request. A client for HTTP/1.1 sends it once; HTTP/2 repeats a request that the server refuses.
   */
  send: (url: URL, request: Sent, signal: AbortSignal) => Promise<Answer>;
  close: () => Promise<void>;
};
type Sent = { method: string; body: string | undefined; headers: Headers };
type Headers = readonly (readonly [name: string, value: string])[];

/** The client's newest profile. docs/fidelity.md lists what Chrome has changed since. */
const TLS_OF = 'chrome_149';

/** Replaces the default of 30 s: the signal is the only deadline. */
const NO_TIMEOUT_MS = 3_600_000;

/** Chrome's settings; the profile has all but the priority: https://www.rfc-editor.org/rfc/rfc9113#section-6.5 */
const HTTP2: CustomEmulationOptions['http2Options'] = {
  headerTableSize: 65_536,
  enablePush: false,
  initialWindowSize: 6_291_456,
  maxHeaderListSize: 262_144,
  settingsOrder: ['HeaderTableSize', 'EnablePush', 'InitialWindowSize', 'MaxHeaderListSize'],
  initialConnectionWindowSize: 15_728_640,
  headersPseudoOrder: ['Method', 'Authority', 'Scheme', 'Path'],
  // Sent plus one: https://www.rfc-editor.org/rfc/rfc7540#section-6.2
  headersStreamDependency: { dependencyId: 0, weight: 255, exclusive: true },
};

/** Chrome's TLS where it offers HTTP/1.1 alone, as for a WebSocket. It replaces the profile's. */
const TLS_HTTP1: NonNullable<CustomEmulationOptions['tlsOptions']> = {
  alpnProtocols: ['HTTP1'],
  minTlsVersion: '1.2',
  maxTlsVersion: '1.3',
  sessionTicket: true,
  enableEchGrease: true,
  permuteExtensions: true,
  greaseEnabled: true,
  enableOcspStapling: true,
  enableSignedCertTimestamps: true,
  renegotiation: true,
  curvesList: 'X25519MLKEM768:X25519:P-256:P-384',
  cipherList: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
    'ECDHE-RSA-AES128-SHA',
    'ECDHE-RSA-AES256-SHA',
    'AES128-GCM-SHA256',
    'AES256-GCM-SHA384',
    'AES128-SHA',
    'AES256-SHA',
  ].join(':'),
  sigalgsList: [
    'ecdsa_secp256r1_sha256',
    'rsa_pss_rsae_sha256',
    'rsa_pkcs1_sha256',
    'ecdsa_secp384r1_sha384',
    'rsa_pss_rsae_sha384',
    'rsa_pkcs1_sha384',
    'rsa_pss_rsae_sha512',
    'rsa_pkcs1_sha512',
  ].join(':'),
  certificateCompressionAlgorithms: ['brotli'],
};

const EMULATION: CustomEmulationOptions = {
  http2Options: HTTP2,
  http1Options: {
    // Replaces the default of 100 lines; the client still limits their total size.
    maxHeaders: 4_000,
    // As Chrome does. The guard reads heads without TLS, and these limit the others.
    ignoreInvalidHeadersInResponses: true,
    allowSpacesAfterHeaderNameInResponses: true,
    allowObsoleteMultilineHeadersInResponses: true,
  },
  origHeaders: ['Host'],
};

/** Opens a client with Chrome's TLS and its own connections, all through the proxy. HTTP/2 where offered. */
export async function openChromeClient(proxyUrl: string | undefined, isHttp1 = false): Promise<ChromeClient> {
  const transport = await createTransport({
    browser: TLS_OF,
    emulation: { ...EMULATION, ...(isHttp1 && { tlsOptions: TLS_HTTP1 }) },
    // The bundled authorities would be parsed for each client, which takes longer than the scrape.
    trustStore: 'defaultPaths',
    ...(proxyUrl !== undefined && { proxy: proxyUrl }),
  });
  return {
    send: async (url, { method, body, headers }, signal) => {
      const response = await fetch(url.href, {
        transport,
        method,
        ...(body !== undefined && { body }),
        headers: [...headers, ...lengthOf(method, body)].map(([name, value]) => [name, value]),
        disableDefaultHeaders: true,
        redirect: 'manual',
        compress: false,
        timeout: NO_TIMEOUT_MS,
        signal,
      });
      return {
        status: response.status,
        header: (name) => response.headers.get(name) ?? undefined,
        setCookies: response.headers.getSetCookie(),
        headers: responseHeaders(linesOf(response.headers)),
        body: response.body,
      };
    },
    close: () => transport.close(),
  };
}

/** The client sends no length for an empty body, and many servers then refuse a POST with 411. */
const lengthOf = (method: string, body = ''): Headers =>
  method === 'GET' || body !== '' ? [] : [['Content-Length', '0']];

/** Each line of a header: the client's own iterator joins repeated ones, whose values may have commas. */
function linesOf(headers: SentHeaders): (readonly [name: string, value: string])[] {
  const { store } = headers as unknown as { store: Map<string, { name: string; values: string[] }> };
  return [...store.values()].flatMap(({ name, values }) => values.map((value) => [name, value] as const));
}
