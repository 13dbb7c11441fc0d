import { randomUUID } from 'node:crypto';
import type { Blueprint } from './template/blueprint.ts';
import { ACCOUNT, REGION } from './template/physical.ts';

export type Rule = Blueprint['schedules'][number];

export function scheduledEvent({ name }: Rule) {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: ACCOUNT,
    time: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    region: REGION,
    resources: [`arn:aws:events:${REGION}:${ACCOUNT}:rule/${name}`],
    detail: {},
  };
}
