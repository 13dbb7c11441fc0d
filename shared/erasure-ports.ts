/** Something stored for an organization. Without a kind it is a part of another thing, and not counted. */
export type StoredThing = { kind?: string | undefined; key: Readonly<Record<string, string>> };

/** A place where things of organizations are stored. */
export type Store = {
  /** Those of one organization, in portions. May read the whole store: for operators only. */
  find: (orgId: string) => AsyncIterable<readonly StoredThing[]>;
  /** Safe to repeat. */
  remove: (things: readonly StoredThing[]) => Promise<void>;
};
