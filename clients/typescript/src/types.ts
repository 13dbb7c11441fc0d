import type { components } from './schema.ts';

type Schemas = components['schemas'];

export type ErrorBody = Schemas['Error'];
export type ScrapeRequest = Schemas['ScrapeRequest'];
export type Instruction = Schemas['Instruction'];
export type ExtractRule = Schemas['ExtractRule'];
export type Envelope = Schemas['Envelope'];
export type MapRequest = Schemas['MapRequest'];
export type SiteMap = Schemas['SiteMap'];
export type JobRequest = Schemas['JobRequest'];
export type SubmittedJob = Schemas['SubmittedJob'];
export type Job = Schemas['Job'];
export type JobsQuery = Omit<Schemas['listJobsQuery'], 'cursor'>;
export type BatchRequest = Schemas['BatchRequest'];
export type BatchLine = BatchRequest['requests'][number];
export type UploadRequest = Omit<Schemas['UploadRequest'], 'input' | 'content_length'>;
export type RetryRequest = Schemas['RetryRequest'];
export type Batch = Schemas['Batch'];
export type BatchResult = Schemas['BatchResult'];
export type CrawlRequest = Schemas['CrawlRequest'];
export type CrawlRetryRequest = Schemas['CrawlRetryRequest'];
export type SubmittedCrawl = Schemas['SubmittedCrawl'];
export type Crawl = Schemas['Crawl'];
export type ListedCrawl = Schemas['CrawlList']['data'][number];
export type CrawlUrl = Schemas['CrawlUrl'];
export type CrawlUrlsQuery = Omit<Schemas['getCrawlUrlsQuery'], 'cursor'>;
export type CrawlResult = Schemas['CrawlResult'];
export type NewWebhook = Schemas['NewWebhook'];
export type WebhookChange = Schemas['WebhookChange'];
export type Webhook = Schemas['Webhook'];
export type WebhookWithSecret = Schemas['WebhookWithSecret'];
export type Delivery = Schemas['Delivery'];
export type Account = Schemas['Account'];
export type Usage = Schemas['Usage'];
export type UsageQuery = Schemas['getUsageQuery'];
export type ActivityQuery = Omit<Schemas['getActivityQuery'], 'cursor'>;
export type ActivityLine = Schemas['Activity']['data'][number];

/** The body of a webhook. Its `webhook-id` header tells repeats of an event apart. */
export type WebhookEvent = { timestamp: string } & (
  | { type: 'job.completed' | 'job.failed'; data: Job }
  | { type: 'batch.completed'; data: Batch }
  | { type: 'crawl.completed'; data: ListedCrawl }
  | { type: 'credits.low'; data: CreditsLow }
  | { type: 'webhook.test'; data: { webhook_id: string } }
);

type CreditsLow = {
  org_id: string;
  percent: number;
  period: string;
  granted: number;
  used: number;
  available: number;
  resets_at: string;
};
