import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Results } from '../ports/jobs.ts';

type Options = { client: S3Client; bucket: string };

const LINK_SECONDS = 60;

/** The Results port on an S3 bucket. Keys are written once; larger pages are uploaded in parts. */
export function s3Results({ client, bucket }: Options): Results {
  return {
    put: (key, bytes) => putOnce({ client, bucket }, key, bytes),

    open: async (key) => {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return Body as Readable | undefined;
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },

    remove: async (key) => {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },

    link: (key, { contentType, contentEncoding }, expiresIn = LINK_SECONDS) => {
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: key,
        ResponseContentType: contentType,
        ResponseContentEncoding: contentEncoding,
        ResponseCacheControl: 'no-store',
        // S3 cannot sandbox a page, so browsers must save it rather than show it.
        ResponseContentDisposition: 'attachment',
      });
      return getSignedUrl(client, command, { expiresIn });
    },
  };
}

async function putOnce({ client, bucket }: Options, key: string, bytes: Uint8Array): Promise<void> {
  const upload = new Upload({ client, params: { Bucket: bucket, Key: key, Body: bytes, IfNoneMatch: '*' } });
  try {
    await upload.done();
  } catch (error) {
    // The key names the attempt, so an existing object is this very page: an earlier response was lost.
    if (!(error instanceof S3ServiceException && error.name === 'PreconditionFailed')) throw error;
  }
}
