import type { EgressPolicy } from '../../egress/decide.ts';
import { openGuard } from '../../egress/guard.ts';
import { post } from '../../egress/post.ts';
import { toAppError } from '../../errors.ts';
import { deadline } from '../../time/deadline.ts';
import type { Post } from '../../ports/webhooks.ts';

type Options = { ca?: readonly string[] };

/** The Post port. Each request has a guard of its own, which judges the address that it dials. */
export function guardedPost(policy: EgressPolicy, { ca }: Options = {}): Post {
  return async ({ timeoutMs, ...request }) => {
    using time = deadline(timeoutMs);
    await using guard = await openGuard(policy);
    try {
      return await post(request, guard, time.signal, { ca });
    } catch (error) {
      return { error: toAppError(error).code };
    }
  };
}
