import { z } from 'zod';
import { camelCased } from '../case.ts';
import { Tag } from './job-request.ts';
import { JobStatus, JobView } from './job.ts';

/** One page of the list. */
export const JobList = z.object({
  data: z.array(JobView),
  next_cursor: z.string().optional().describe('Send it as `cursor` for older jobs. Absent at the end.'),
});
export type JobList = z.infer<typeof JobList>;

const time = z.iso.datetime({ offset: true, error: 'expected a time such as 2026-11-21T12:00:00Z' });

export const JobsQuery = camelCased(
  z.strictObject({
    status: JobStatus.optional().describe('Only jobs with this status.'),
    tag: Tag.optional().describe('Only jobs with this tag.'),
    created_after: time.optional().describe('Only jobs submitted at this time or later.'),
    created_before: time.optional().describe('Only jobs submitted earlier than this time.'),
    limit: z.int().min(1).max(100).default(50).describe('How many, up to 100. Absent: 50.'),
    cursor: z.string().max(200).optional().describe('The `next_cursor` of the previous page.'),
  }),
);
export type JobsQuery = z.infer<typeof JobsQuery>;
