import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Uploads } from '../ports/batches.ts';

type Options = { client: S3Client; bucket: string };

const PRECONDITION_FAILED = 412;
/** There is nothing after the last byte. */
const RANGE_NOT_SATISFIABLE = 416;

/** The Uploads port on an S3 bucket. The version of an object is its ETag. */
export function s3Uploads({ client, bucket }: Options): Uploads {
  return {
    // A length is among the signed headers. A presigned PUT can have no range of lengths.
    link: (key, expiresIn, ContentLength) =>
      getSignedUrl(client, new PutObjectCommand({ Bucket: bucket, Key: key, ContentLength }), { expiresIn }),

    find: async (key) => {
      try {
        const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
        return { bytes: head.ContentLength ?? 0, version: head.ETag ?? '' };
      } catch (error) {
        if (error instanceof NotFound) return undefined;
        throw error;
      }
    },

    read: async ({ key, version }, from, to) => {
      const range = `bytes=${from}-${to === undefined ? '' : to - 1}`;
      try {
        const { Body } = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key: key, Range: range, IfMatch: version }),
        );
        return Body as Readable | undefined;
      } catch (error) {
        if (error instanceof NoSuchKey || has(error, PRECONDITION_FAILED)) return undefined;
        if (has(error, RANGE_NOT_SATISFIABLE)) return Readable.from([]);
        throw error;
      }
    },

    write: async (key, bytes) => {
      const { ETag } = await new Upload({ client, params: { Bucket: bucket, Key: key, Body: bytes } }).done();
      return ETag ?? '';
    },

    remove: async (key) => {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
  };
}

function has(error: unknown, status: number): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === status;
}
