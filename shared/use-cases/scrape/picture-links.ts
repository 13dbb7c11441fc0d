import { createHash } from 'node:crypto';
import type { Effects } from '../../ports/effects.ts';

type Needs = { results: Pick<Effects['results'], 'put' | 'link'> };
type Picture = { type: string; base64: string };

/** A day. The role's own keys, which sign the links, may end earlier. */
const LINK_SECONDS = 86_400;

/** Stores pictures of an organization, each once, and returns links that show them to anyone. */
export const pictureLinks =
  ({ results }: Needs, orgId: string) =>
  async ({ type, base64 }: Picture): Promise<string> => {
    const bytes = Buffer.from(base64, 'base64');
    const name = createHash('sha256').update(bytes).digest('hex');
    const key = `results/${orgId}/pictures/${name}.${type}`;
    await results.put(key, bytes);
    const contentType = type === 'pdf' ? 'application/pdf' : `image/${type}`;
    return results.link(key, { contentType }, LINK_SECONDS);
  };
