import { Readable } from 'node:stream';
import { shortId } from '../domain/accounts/credits/short-id.ts';
import type { AuthenticatedCall, Call } from './call.ts';
import type { Reply } from './reply.ts';
import { UNHELD_BYTES } from './send.ts';
import { addMs } from '../time/units.ts';

/** A reader's place outlives its function by this much, so that others free only a dead reader's place. */
const MARGIN_MS = 10_000;

/**
 * Takes one of the organization's places for a response that keeps its function busy, unless the call has
 * one: without a limit, one organization could occupy every function. Throws `too_many_concurrent`.
 */
export async function takeReaderPlace(call: AuthenticatedCall): Promise<void> {
  if (!call.meter.isHolding()) await call.meter.admit([0], { reader: placeOf(call) });
}

/** Takes a place to wait in, of which there are fewer. Throws `too_many_concurrent`. */
export async function takeWaitingPlace(call: AuthenticatedCall): Promise<void> {
  await call.meter.admit([0], { reader: { ...placeOf(call), isWaiting: true } });
}

/** The same for a caller that gets a response at once without one. */
export async function takePlaceToWait(call: AuthenticatedCall): Promise<boolean> {
  try {
    await takeWaitingPlace(call);
    return true;
  } catch (error) {
    call.requestLog.fail(error);
    return false;
  }
}

/** Takes a place unless the buffers on the way have room for the response. Throws `too_many_concurrent`. */
export async function takePlaceBySize({ meter, session, ...call }: Call, reply: Reply): Promise<void> {
  if (meter === undefined || session === undefined || bytesOf(call, reply) <= UNHELD_BYTES) return;
  try {
    await takeReaderPlace({ ...call, meter, session });
  } catch (error) {
    if (reply.body instanceof Readable) reply.body.destroy();
    throw error;
  }
}

/** The bytes to send, of which a stream may have any number. */
function bytesOf({ method }: Pick<Call, 'method'>, { headers, body }: Reply): number {
  if (method === 'HEAD') return 0;
  if (body instanceof Readable) return Number(headers['Content-Length'] ?? Infinity);
  return Buffer.byteLength(body);
}

function placeOf({ requestId, endsAt }: Pick<Call, 'requestId' | 'endsAt'>) {
  return { id: shortId(requestId), until: addMs(endsAt, MARGIN_MS) };
}
