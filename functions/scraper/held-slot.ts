import { shortId } from '../../shared/domain/accounts/credits/short-id.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { addMs } from '../../shared/time/units.ts';

/** A slot outlives its function by this much, so that others free only the slot of a dead holder. */
const SLOT_MARGIN_MS = 10_000;

export const slotOf = ({ requestId, endsAt }: Pick<AuthenticatedCall, 'requestId' | 'endsAt'>) => ({
  id: shortId(requestId),
  until: addMs(endsAt, SLOT_MARGIN_MS),
});
