import { z } from 'zod';
import { busy } from '../../errors.ts';

const Answer = z.record(z.string(), z.unknown());
/** Less than the dashboard's function may run. */
const MAX_MS = 12_000;

/** POSTs JSON to the service's own API, with `once` as Idempotency-Key. Throws `busy` without JSON. */
export function submitToApi(apiUrl: string) {
  return async (path: string, { key, once, body }: { key: string; once: string; body: object }) => {
    try {
      const response = await fetch(apiUrl + path, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': once,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(MAX_MS),
      });
      return { status: response.status, json: Answer.parse(await response.json()) };
    } catch (cause) {
      throw busy(cause);
    }
  };
}
