import { z } from 'zod';
import { camelCased } from '../case.ts';
import { epochSeconds, isoDate } from '../time.ts';

/** Admins invite and remove members. */
export const Role = z.enum(['admin', 'developer']);
export type Role = z.infer<typeof Role>;

/** A member of an organization. A user is a member of one at most. */
export const Person = camelCased(
  z.object({
    /** The user's id in the user pool. */
    id: z.string(),
    org_id: z.string(),
    email: z.string(),
    name: z.string(),
    role: Role,
    /** Absent: the role has not changed since the beginning. */
    role_since: isoDate.optional(),
    /** Hash of the invitation that the user took up. Absent for founders. */
    invitation: z.string().optional(),
    /** Who made it. */
    invited_by: z.string().optional(),
    /** Sessions of an earlier generation have ended. */
    generation: z.int(),
    created_at: isoDate,
  }),
);
export type Person = z.infer<typeof Person>;

/** A signed-in user in one browser. */
export const Session = camelCased(
  z.object({
    user_id: z.string(),
    generation: z.int(),
    created_at: isoDate,
    seen_at: isoDate,
    expires_at: epochSeconds,
  }),
);
export type Session = z.infer<typeof Session>;

/** A visitor who is confirming an address or resetting a password, in one browser. */
export const Visit = camelCased(
  z.object({
    email: z.string(),
    /** Absent if the address already has an account, which the visitor must not learn. */
    user_id: z.string().optional(),
    /** Hash of the invitation that the visitor came with. */
    invitation: z.string().optional(),
    /** What the organization that the visitor founds is to be called. */
    organization: z.string().optional(),
    expires_at: epochSeconds,
  }),
);
export type Visit = z.infer<typeof Visit>;

/** Who made an invitation. */
export const InvitationMaker = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('operator') }),
  z.object({ kind: z.literal('member'), id: z.string(), email: z.string() }),
]);
export type InvitationMaker = z.infer<typeof InvitationMaker>;

/** An invitation to an organization, for the first person who uses its code. */
export const Invitation = camelCased(
  z.object({
    org_id: z.string(),
    role: Role,
    maker: InvitationMaker,
    created_at: isoDate,
    expires_at: epochSeconds,
    taken_by: z.string().optional(),
  }),
);
export type Invitation = z.infer<typeof Invitation>;
