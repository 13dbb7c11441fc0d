import type { ActivityLine } from '../../../contract/accounts/activity.ts';

/** The position of a line among its organization's; sorts by time. */
export function positionFor({ time, id }: Pick<ActivityLine, 'time' | 'id'>): string {
  return `${time.toISOString()}#${id}`;
}

const POSITION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#[\w-]{1,64}$/;

/** Another organization's position is just a time here. */
export const isPosition = (text: string) => POSITION.test(text);
