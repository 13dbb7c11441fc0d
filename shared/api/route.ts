import type { FunctionName } from '../config.ts';
import type { Json } from '../contract/json-schema.ts';
import type { Bucket } from '../domain/accounts/credits/rate-buckets.ts';
import type { ErrorCode } from '../errors.ts';

export type Tag = 'Scrape' | 'Map' | 'Jobs' | 'Batches' | 'Crawls' | 'Webhooks' | 'Account' | 'Service';

/** One operation of the API, for the router, the gateway, the meter and the OpenAPI document. */
export type Route = {
  method: 'DELETE' | 'GET' | 'HEAD' | 'PATCH' | 'POST';
  /** With `{name}` for a path parameter, as API Gateway writes it. */
  path: string;
  operationId: string;
  function: FunctionName;
  tag: Tag;
  summary: string;
  description: string;
  body?: Json;
  /** Absent, an empty object is sent. */
  isBodyOptional?: true;
  parameters: readonly Json[];
  /** Success responses, and others that are not errors: 304, a failed job's 422. */
  responses: Readonly<Record<number, Json>>;
  errors: readonly ErrorCode[];
} & (
  | { auth: 'none' }
  | {
      auth: 'key';
      /** Which rate limit bucket it draws from. */
      bucket: Bucket;
      /** Its operation takes the place in the bucket itself, in one write with what it holds. */
      holds?: true;
      /** Reads or writes many items: it takes one of the organization's places with that in the bucket. */
      takesPlace?: true;
    }
);
