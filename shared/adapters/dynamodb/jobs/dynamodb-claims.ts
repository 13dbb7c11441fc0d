import { z } from 'zod';
import { camelCased } from '../../../contract/case.ts';
import { epochSeconds } from '../../../contract/time.ts';
import type { IdempotencyClaim, Jobs } from '../../../ports/jobs.ts';
import { itemKind, type Table } from '../table.ts';

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

/** Idempotency keys: items `IDEMPOTENCY#<org>#<key>` in the table of jobs. */
export function dynamodbClaims(table: Table): Pick<Jobs, 'claimKey' | 'heldKey' | 'releaseKey'> {
  const claims = itemKind(table, StoredClaim, ({ orgId, key }: Pick<IdempotencyClaim, 'orgId' | 'key'>) => ({
    pk: `IDEMPOTENCY#${orgId}#${key}`,
  }));

  return {
    claimKey: async (claim, now, previous) => {
      const isFree = 'attribute_not_exists(pk) OR expires_at <= :now';
      const when = {
        condition: [previous ? `${isFree} OR locked_until = :previous` : isFree],
        values: {
          ':now': z.encode(epochSeconds, now),
          ...(previous && { ':previous': previous.lockedUntil }),
        },
      };
      for (;;) {
        if (await claims.put(claim, claim, when)) return claim;
        const held = await claims.find(claim);
        // Released since then, so it can be claimed again.
        if (held) return held;
      }
    },

    heldKey: async (claim, now) => {
      const held = await claims.find(claim);
      return held && held.expiresAt > now ? held : undefined;
    },

    releaseKey: async (claim) => {
      await claims.remove(claim, {
        condition: ['job_id = :job', 'locked_until = :lock'],
        values: { ':job': claim.jobId, ':lock': claim.lockedUntil },
      });
    },
  };
}
