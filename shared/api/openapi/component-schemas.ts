import { AccountView, UsageView } from '../../contract/accounts/account-view.ts';
import { ActivityPage } from '../../contract/accounts/activity.ts';
import { BatchRequest, RetryRequest, UploadRequest } from '../../contract/batches/batch-request.ts';
import { BatchList, BatchResult, BatchView, BatchParts } from '../../contract/batches/batch.ts';
import { LedgerLine } from '../../contract/crawls/crawl.ts';
import { CrawlBody, CrawlRetryRequest } from '../../contract/crawls/crawl-request.ts';
import {
  CrawlList,
  CrawlParts,
  CrawlResult,
  CrawlState,
  SubmittedCrawl,
} from '../../contract/crawls/crawl-view.ts';
import { MappedUrl, MapRequest, MapSummary, SiteMap } from '../../contract/crawls/map.ts';
import { Envelope } from '../../contract/scrape/envelope.ts';
import { Change } from '../../contract/scrape/change.ts';
import { ErrorBody } from '../../contract/error-body.ts';
import { JobView, SubmittedJob } from '../../contract/jobs/job.ts';
import { JobList } from '../../contract/jobs/job-list.ts';
import { type Json, schemaOf } from '../../contract/json-schema.ts';
import { Metadata } from '../../contract/scrape/metadata.ts';
import { Extracted, Images, Links } from '../../contract/scrape/output.ts';
import { JobRequest } from '../../contract/jobs/job-request.ts';
import { ScrapeRequest } from '../../contract/scrape/scrape-request.ts';
import {
  DeliveryList,
  DeliveryView,
  NewWebhook,
  WebhookChange,
  WebhookList,
  WebhookView,
  WebhookWithSecret,
} from '../../contract/webhooks/webhook.ts';

const crawlSchemas = () => ({
  CrawlRequest: schemaOf(CrawlBody),
  CrawlRetryRequest: schemaOf(CrawlRetryRequest),
  SubmittedCrawl: schemaOf(SubmittedCrawl),
  Crawl: schemaOf(CrawlState),
  CrawlList: schemaOf(CrawlList),
  CrawlUrl: schemaOf(LedgerLine),
  CrawlResult: schemaOf(CrawlResult),
  CrawlParts: schemaOf(CrawlParts),
});

/** Each schema of requests and responses, under its name in the document. */
export const componentSchemas = (): Record<string, Json> => ({
  ScrapeRequest: schemaOf(ScrapeRequest),
  MapRequest: schemaOf(MapRequest),
  SiteMap: schemaOf(SiteMap),
  MappedUrl: schemaOf(MappedUrl),
  MapSummary: schemaOf(MapSummary),
  JobRequest: schemaOf(JobRequest),
  SubmittedJob: schemaOf(SubmittedJob),
  Job: schemaOf(JobView),
  JobList: schemaOf(JobList),
  BatchRequest: schemaOf(BatchRequest),
  UploadRequest: schemaOf(UploadRequest),
  RetryRequest: schemaOf(RetryRequest),
  Batch: schemaOf(BatchView),
  BatchList: schemaOf(BatchList),
  BatchResult: schemaOf(BatchResult),
  BatchParts: schemaOf(BatchParts),
  ...crawlSchemas(),
  NewWebhook: schemaOf(NewWebhook),
  WebhookChange: schemaOf(WebhookChange),
  Webhook: schemaOf(WebhookView),
  WebhookWithSecret: schemaOf(WebhookWithSecret),
  WebhookList: schemaOf(WebhookList),
  Delivery: schemaOf(DeliveryView),
  DeliveryList: schemaOf(DeliveryList),
  Envelope: schemaOf(Envelope),
  Links: schemaOf(Links),
  Images: schemaOf(Images),
  Metadata: schemaOf(Metadata),
  Extracted: schemaOf(Extracted),
  Change: schemaOf(Change),
  Account: schemaOf(AccountView),
  Usage: schemaOf(UsageView),
  Activity: schemaOf(ActivityPage),
  Error: schemaOf(ErrorBody),
});
