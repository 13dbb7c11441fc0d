import { inHeader } from './parameters.ts';

/** Conditional and range requests: RFC 9110 sections 13 and 14. */
export const conditions = inHeader({
  'If-None-Match': {
    description: 'The `ETag` of your copy. The response is 304 if your copy is current.',
    schema: { type: 'string' },
  },
  'If-Modified-Since': {
    description: 'The `Last-Modified` of your copy. Ignored if `If-None-Match` is sent.',
    schema: { type: 'string' },
  },
  'If-Match': {
    description: 'The `ETag` of the version you expect. The response is 412 if the page is another version.',
    schema: { type: 'string' },
  },
  'If-Unmodified-Since': {
    description: 'The `Last-Modified` of the version you expect. Ignored if `If-Match` is sent.',
    schema: { type: 'string' },
  },
  Range: {
    description: 'The part of the page to return, in bytes.',
    schema: { type: 'string' },
    example: 'bytes=0-99',
  },
  'If-Range': {
    description:
      'The `ETag` or `Last-Modified` of your copy. If the page is another version, `Range` is ignored.',
    schema: { type: 'string' },
  },
});
