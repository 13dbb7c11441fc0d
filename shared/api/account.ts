import { ActivityQuery } from '../contract/activity.ts';
import { UsageQuery } from '../contract/account-view.ts';
import { ofCaller } from './error-groups.ts';
import { account, activity, usageByDay } from './openapi/account-examples.ts';
import { jsonOf, metered } from './openapi/media.ts';
import { inQuery } from './openapi/parameters.ts';
import type { Route } from './route.ts';

/** What an organization has, used and did. */
export const accountRoutes = [
  {
    method: 'GET',
    path: '/api/v1/account',
    operationId: 'getAccount',
    function: 'account',
    auth: 'key',
    bucket: 'read',
    tag: 'Account',
    summary: 'Get limits and credits',
    description: 'The organization of the key, its limits, and the credits of this month.',
    parameters: [],
    responses: { 200: metered('The organization as of now.', [], jsonOf('Account', account)) },
    errors: [...ofCaller, 'busy'],
  },
  {
    method: 'GET',
    path: '/api/v1/account/usage',
    operationId: 'getUsage',
    function: 'account',
    auth: 'key',
    bucket: 'read',
    tag: 'Account',
    summary: 'Get usage by day',
    description:
      'Scrapes and credits by UTC day and kind, for the current month and 13 before it. The credits of all days are what was charged.',
    parameters: inQuery(UsageQuery),
    responses: { 200: metered('One row for each day and kind.', [], jsonOf('Usage', usageByDay)) },
    errors: [...ofCaller, 'busy'],
  },
  {
    method: 'GET',
    path: '/api/v1/account/activity',
    operationId: 'getActivity',
    function: 'account',
    auth: 'key',
    bucket: 'read',
    tag: 'Account',
    summary: 'List the scrapes of the last 30 days',
    description:
      'One line for each scrape that ended, newest first. A page may have fewer lines than `limit`, or none, and still have a `next_cursor`. Requests that were refused before they began are not listed.',
    parameters: inQuery(ActivityQuery),
    responses: { 200: metered('A page of the list.', [], jsonOf('Activity', activity)) },
    errors: [...ofCaller, 'busy'],
  },
] as const satisfies readonly Route[];
