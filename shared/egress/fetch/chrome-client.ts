import { createTransport, fetch, type CustomEmulationOptions } from 'wreq-js';

/** The body is still encoded. */
export type Answer = {
  status: number;
  /** Also undefined for bytes beyond ASCII; several values are joined by `, `. */
  header: (name: string) => string | undefined;
  setCookies: readonly string[];
  body: ReadableStream<Uint8Array> | null;
};

export type ChromeClient = {
  get: (url: URL, headers: Headers, signal: AbortSignal) => Promise<Answer>;
  close: () => Promise<void>;
};
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

const EMULATION: CustomEmulationOptions = {
  http2Options: HTTP2,
  // Replaces the default of 100 lines; the client still limits their total size.
  http1Options: { maxHeaders: 4_000 },
  origHeaders: ['Host'],
};

/** Opens a client with Chrome's TLS and HTTP/2 and its own connections, all through the proxy. */
export async function openChromeClient(proxyUrl: string | undefined): Promise<ChromeClient> {
  const transport = await createTransport({
    browser: TLS_OF,
    emulation: EMULATION,
    // The bundled authorities would be parsed for each client, which takes longer than the scrape.
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
