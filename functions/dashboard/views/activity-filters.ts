import { VerdictKind } from '../../../shared/contract/scrape/verdict.ts';
import { errorCodes } from '../../../shared/errors.ts';
import { dayOf, laterDay } from '../../../shared/domain/accounts/credits/usage-days.ts';
import { RETENTION_DAYS } from '../../../shared/use-cases/accounts/list-activity.ts';
import type { MemberCall } from '../page-call.ts';
import { field } from './form.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { chosenIn } from './paged-list.ts';
import { select } from './select.ts';
import { verdictNames } from './words.ts';

/** Fields of the filter, by the names of the API. */
export const filterNames = ['host', 'status', 'verdict', 'code', 'key_id', 'from', 'to'] as const;

type Filters = { keys: ReadonlyMap<string, string>; now: Date; faults: Faults };

/** A GET form, so that a filtered list can be bookmarked. */
export function activityFilters(call: MemberCall, { keys, now, faults }: Filters): Html {
  const chosen = chosenIn(call);
  const value = (name: string) => chosen[name]?.[0] ?? '';
  const isUsed = filterNames.some((name) => value(name) !== '') || Object.keys(faults).length > 0;
  const today = dayOf(now);
  const span = { min: laterDay(today, -RETENTION_DAYS), max: today };
  const text = (name: string, label: string, more: object = {}) =>
    field(name, { name, label, value: value(name), isOptional: true, ...more }, faults[name]);
  const choice = (name: string, label: string, options: readonly (readonly [string, string])[]) =>
    select({
      ...{ id: name, name, label, chosen: value(name), fault: faults[name] },
      options: [['', 'Any'] as const, ...options].map(([each, label]) => ({ value: each, label })),
    });
  return html`<details class="card filters" ${isUsed ? 'open' : ''}>
    <summary>Filter</summary>
    <form action="${call.at('/activity')}">
      ${faults.form && html`<p class="fault" role="alert">${faults.form}</p>`}
      <div class="fields">
        ${text('host', 'Host')} ${text('status', 'Target status', { isNumeric: true })}
        ${choice(
          'verdict',
          'Verdict',
          VerdictKind.options.map((kind) => [kind, verdictNames[kind]]),
        )}
        ${choice(
          'code',
          'Error',
          errorCodes.map((code) => [code, code]),
        )}
        ${choice('key_id', 'Key', [...keys])} ${text('from', 'From, UTC', { type: 'date', ...span })}
        ${text('to', 'To, UTC', { type: 'date', ...span })}
      </div>
      <p class="buttons">
        <button class="primary">Apply</button>
        ${isUsed && html`<a class="button" href="${call.at('/activity')}">Clear</a>`}
      </p>
    </form>
  </details>`;
}
