import { DeleteObjectsCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import type { Store } from '../ports/accounts.ts';

/** Results and uploads of organizations in a bucket, below `results/<org>/`. */
export function organizationObjects({ client, bucket }: { client: S3Client; bucket: string }): Store {
  return {
    find: async function* (orgId) {
      const list = { Bucket: bucket, Prefix: `results/${orgId}/` };
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, list))
        yield Contents.map(({ Key = '' }) => ({ kind: kindOf(Key), key: { Key } }));
    },

    // A page of the list has as many as one call deletes.
    remove: async (things) => {
      if (things.length === 0) return;
      const Objects = things.map(({ key }) => ({ Key: key['Key'] }));
      const { Errors: [error] = [] } = await client.send(
        new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
      );
      if (error) throw new Error(`S3 did not delete ${error.Key}: ${error.Code}`);
    },
  };
}

function kindOf(key: string): string | undefined {
  // The index of kept pages counts them.
  if (/^results\/[^/]+\/cache\//.test(key)) return undefined;
  return key.endsWith('/requests.ndjson') ? 'uploads' : 'results';
}
