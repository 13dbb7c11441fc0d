import { ActivityQuery } from '../contract/accounts/activity.ts';
import { UsageQuery } from '../contract/accounts/account-view.ts';
import { ofCaller } from './error-groups.ts';
import { account, activity, usageByDay } from './openapi/account-examples.ts';
import { jsonOf, metered } from './openapi/media.ts';
import { inQuery } from './openapi/parameters.ts';
import type { Route } from './route.ts';

const common = { function: 'account', auth: 'key', bucket: 'read', tag: 'Account' } as const;

export const accountRoutes = [
  {
    ...common,
    method: 'GET',
    path: '/api/v1/account',
    operationId: 'getAccount',
    summary: 'Get limits and credits',
    description: "The key's organization, its limits, and its credits for this month.",
    parameters: [],
    responses: { 200: metered('The current state of the organization.', [], jsonOf('Account', account)) },
    errors: [...ofCaller, 'busy'],
  },
  {
    ...common,
    method: 'GET',
    path: '/api/v1/account/usage',
    operationId: 'getUsage',
    summary: 'Get usage by day',
    description:
      'Scrapes and credits by UTC day and kind, for the current month and the 13 before it. The daily credits add up to the total charged.',
    parameters: inQuery(UsageQuery),
    responses: { 200: metered('One row per day and kind.', [], jsonOf('Usage', usageByDay)) },
    errors: [...ofCaller, 'busy'],
  },
  {
    ...common,
    method: 'GET',
    path: '/api/v1/account/activity',
    operationId: 'getActivity',
    takesPlace: true,
    summary: 'List the scrapes of the last 30 days',
    description:
      'One entry per finished scrape, newest first. A page may have fewer entries than `limit`, or none, and still have a `next_cursor`. Requests that were rejected before they started are not listed.',
    parameters: inQuery(ActivityQuery),
    responses: { 200: metered('A page of the list.', [], jsonOf('Activity', activity)) },
    errors: [...ofCaller, 'too_many_concurrent', 'busy'],
  },
] as const satisfies readonly Route[];
