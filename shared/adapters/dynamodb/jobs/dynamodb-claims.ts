import { z } from 'zod';
import { camelCased } from '../../../contract/case.ts';
import { epochSeconds } from '../../../contract/time.ts';
import type { IdempotencyClaim, Jobs } from '../../../ports/jobs.ts';
import type { ConditionalTable } from '../conditional-table.ts';

const StoredClaim = camelCased(
  z.object({
    org_id: z.string(),
    key: z.string(),
    body_hash: z.string(),
    job_id: z.string(),
    locked_until: z.number(),
    expires_at: epochSeconds,
  }),
);

export function dynamodbClaims(items: ConditionalTable): Pick<Jobs, 'claimKey' | 'heldKey' | 'releaseKey'> {
  return {
    claimKey: async (claim, now, previous) => {
      const item = { pk: claimId(claim), ...z.encode(StoredClaim, claim) };
      const isFree = 'attribute_not_exists(pk) OR expires_at <= :now';
      const condition = previous ? `${isFree} OR locked_until = :previous` : isFree;
      const values = {
        ':now': z.encode(epochSeconds, now),
        ...(previous && { ':previous': previous.lockedUntil }),
      };
      for (;;) {
        if (await items.put(item, condition, values)) return claim;
        const held = await items.get(item.pk);
        // Released since then, so it can be claimed again.
        if (held) return StoredClaim.parse(held);
      }
    },

    heldKey: async (claim, now) => {
      const item = await items.get(claimId(claim));
      const held = item && StoredClaim.parse(item);
      return held && held.expiresAt > now ? held : undefined;
    },

    releaseKey: async (claim) => {
      const values = { ':job': claim.jobId, ':lock': claim.lockedUntil };
      await items.remove(claimId(claim), 'job_id = :job AND locked_until = :lock', values);
    },
  };
}

function claimId({ orgId, key }: Pick<IdempotencyClaim, 'orgId' | 'key'>): string {
  return `IDEMPOTENCY#${orgId}#${key}`;
}
