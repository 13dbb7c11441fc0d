import { shortId } from '../domain/credits/short-id.ts';
import type { AuthenticatedCall } from './call.ts';

/** A reader's place outlives its function by this much, so that others free only a dead reader's place. */
const MARGIN_MS = 10_000;

/** Slow readers are limited as scrapes are, or one organization could occupy every function. */
export async function takeReaderPlace({ requestId, meter, endsAt }: AuthenticatedCall): Promise<void> {
  const until = new Date(endsAt.getTime() + MARGIN_MS);
  await meter.admit({ credits: 0, reader: { id: shortId(requestId), until } });
}
