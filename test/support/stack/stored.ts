import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { LOCAL_CREDENTIALS } from '../../../local/create-resources.ts';
import type { LocalStack } from '../../../local/start-stack.ts';

/** Everything that a local stack stores, as text: the items of its tables, and the pages of its bucket. */
export async function stored({ endpoints, tables, buckets }: LocalStack): Promise<Stored> {
  const at = (endpoint: string) => ({ endpoint, region: 'us-east-1', credentials: LOCAL_CREDENTIALS });
  const dynamodb = new DynamoDBClient(at(endpoints.dynamodb));
  const s3 = new S3Client(at(endpoints.s3));
  const Bucket = buckets.results;
  const scans = Object.values(tables).map((TableName) => dynamodb.send(new ScanCommand({ TableName })));
  const items = (await Promise.all(scans)).flatMap(({ Items = [] }) => Items);
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
  const pages = await Promise.all(
    Contents.map(async ({ Key }) => {
      const { Body, Metadata } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      return { key: Key, metadata: Metadata, body: await Body?.transformToString('latin1') };
    }),
  );
  dynamodb.destroy();
  s3.destroy();
  return { items: JSON.stringify(items), pages: JSON.stringify(pages) };
}

export type Stored = { items: string; pages: string };
