import type { ActivityView } from '../../../shared/contract/accounts/activity.ts';
import { isSuccess } from '../../../shared/domain/accounts/credits/credits-reason.ts';
import { html, type Html } from '../html.ts';

/** How a scrape ended, at a glance: the target's status, or the error. */
export function outcome({ target_status: status, code, reason }: ActivityView): Html {
  return html`<span class="badge ${isSuccess(reason) ? 'good' : 'bad'}">${status ?? code ?? reason}</span>`;
}
