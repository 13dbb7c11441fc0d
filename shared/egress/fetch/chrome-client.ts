import { createTransport, fetch, type CustomEmulationOptions } from 'wreq-js';

/** The answer to one request, its body as it came, under whatever encoding. */
export type Answer = {
  status: number;
  /** Undefined too if its value has bytes beyond ASCII; several of one name are joined by `, `. */
  header: (name: string) => string | undefined;
  setCookies: readonly string[];
  body: ReadableStream<Uint8Array> | null;
};

export type ChromeClient = {
  get: (url: URL, headers: Headers, signal: AbortSignal) => Promise<Answer>;
  close: () => Promise<void>;
};
type Headers = readonly (readonly [name: string, value: string])[];

/** The newest that the client has. What Chrome has changed since is in docs/fidelity.md. */
const TLS_OF = 'chrome_149';

/** The default is 30 s; here the signal is the one deadline. */
const NO_TIMEOUT_MS = 3_600_000;

/** Chrome's, which the profile has but for the weight of requests: https://www.rfc-editor.org/rfc/rfc9113#section-6.5 */
const HTTP2: CustomEmulationOptions['http2Options'] = {
  headerTableSize: 65_536,
  enablePush: false,
  initialWindowSize: 6_291_456,
  maxHeaderListSize: 262_144,
  settingsOrder: ['HeaderTableSize', 'EnablePush', 'InitialWindowSize', 'MaxHeaderListSize'],
  initialConnectionWindowSize: 15_728_640,
  headersPseudoOrder: ['Method', 'Authority', 'Scheme', 'Path'],
  // Sent as one more: https://www.rfc-editor.org/rfc/rfc7540#section-6.2
  headersStreamDependency: { dependencyId: 0, weight: 255, exclusive: true },
};

const EMULATION: CustomEmulationOptions = {
  http2Options: HTTP2,
  // The client takes 100 lines by itself; how long they are together it bounds in any case.
  http1Options: { maxHeaders: 4_000 },
  // It comes first, and the client puts it there.
  origHeaders: ['Host'],
};

/** Opens a client with Chrome's TLS and HTTP/2, its connections and TLS sessions its own. Everything goes through the proxy. */
export async function openChromeClient(proxyUrl: string | undefined): Promise<ChromeClient> {
  const transport = await createTransport({
    browser: TLS_OF,
    emulation: EMULATION,
    // Its own authorities would be parsed anew for each client, which takes longer than the scrape.
    trustStore: 'defaultPaths',
    ...(proxyUrl !== undefined && { proxy: proxyUrl }),
  });
  return {
    get: async (url, headers, signal) => {
      const response = await fetch(url.href, {
        transport,
        headers: headers.map(([name, value]) => [name, value]),
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
        body: response.body,
      };
    },
    close: () => transport.close(),
  };
}
