import type { AppError } from '../errors.ts';
import { portOf, type HostAndPort } from './read-target.ts';

/** The last fault of each origin, which would otherwise look like a page. */
export type Faults = {
  record: (target: HostAndPort, fault: AppError) => void;
  clear: (target: HostAndPort) => void;
  of: (url: string) => AppError | undefined;
};

const MAX_ORIGINS = 1_000;

export function openFaults(): Faults {
  const faults = new Map<string, AppError>();
  return {
    record: ({ host, port }, fault) => {
      const [oldest] = faults.keys();
      if (faults.size >= MAX_ORIGINS && oldest !== undefined) faults.delete(oldest);
      faults.set(`${host}:${port}`, fault);
    },
    clear: ({ host, port }) => void faults.delete(`${host}:${port}`),
    of: (text) => {
      const url = URL.parse(text);
      return url ? faults.get(`${url.hostname}:${portOf(url)}`) : undefined;
    },
  };
}
