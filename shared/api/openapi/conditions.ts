import { inHeader } from './parameters.ts';

/** Which version or part of a result is wanted: RFC 9110 sections 13 and 14. */
export const conditions = inHeader({
  'If-None-Match': {
    description: 'The `ETag` of the page you have: 304 if it is still the same.',
    schema: { type: 'string' },
  },
  'If-Modified-Since': {
    description: 'The `Last-Modified` of the page you have, where there is no `If-None-Match`.',
    schema: { type: 'string' },
  },
  'If-Match': {
    description: 'The `ETag` of the only version that you want: 412 if the page is another.',
    schema: { type: 'string' },
  },
  'If-Unmodified-Since': {
    description: 'The `Last-Modified` of that version, where there is no `If-Match`.',
    schema: { type: 'string' },
  },
  Range: {
    description: 'One part of the page, in bytes.',
    schema: { type: 'string' },
    example: 'bytes=0-99',
  },
  'If-Range': {
    description: 'The `ETag` or `Last-Modified` that the part is of: all of the page if it is another.',
    schema: { type: 'string' },
  },
});
