import type { Environment } from '../shared/config.ts';

/** An OpenAI-compatible endpoint, as the environment of the model function names it. */
export type LocalModel = Pick<Environment<'model'>, 'MODEL_NAME' | 'MODEL_STRUCTURED'> & {
  MODEL_URL: string;
  MODEL_KEY?: string | undefined;
};

export type StackOptions = {
  /** 0 for any free one. */
  port: number;
  /** 0, which is the default, for any free one. */
  dashboardPort?: number;
  host?: string;
  /** An address at which containers reach what listens on loopback. */
  emulatorsHost?: string | undefined;
  /** By which callers reach the API; by default its own address. */
  apiUrl?: string | undefined;
  localDir: string;
  fresh?: boolean;
  /** The demo key, by default the last run's or a new one. */
  apiKey?: string | undefined;
  /** `host:port` of private targets that may be scraped besides the demo site. */
  egressAllow: string[];
  path: string;
  /** URL of the premium upstream, by default a demo one on this machine. */
  premiumProxyUrl?: string | undefined;
  /** What reads values from pages for `extract_schema`. Absent: nothing does. */
  model?: LocalModel | undefined;
  /** A cloud assembly to use; without it the stacks are synthesised. */
  assembly?: string;
  /** Returns the URL to call instead of this one of an AWS service. */
  before?: ((url: string) => Promise<string>) | undefined;
  /** Starts each function at its first event instead. */
  isCold?: boolean;
  /** Of each function at most, by default as many as fit into the memory. */
  maxEnvironments?: number;
  /** Called with one line per stage of the start, per request, per end of a job and per fault. */
  report: (line: string) => void;
  signal?: AbortSignal;
};
