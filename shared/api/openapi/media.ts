import type { Json } from '../../contract/json-schema.ts';
import { pageExamples } from './page-examples.ts';
import { always, headersOf, usage } from './header-groups.ts';
import type { HeaderName } from './headers.ts';

const formats = {
  json: 'Envelope',
  links: 'Links',
  metadata: 'Metadata',
  extract: 'Extracted',
};

/** Bytes of any type: the target's response, or the DOM as HTML. */
export const anyBytes = {
  '*/*': {
    schema: { type: 'string', format: 'binary' },
    examples: { html: { summary: 'HTML', value: '<!doctype html><title>Example</title><h1>Example</h1>' } },
  },
};

/** A page in any format. */
export const anyPage = {
  ...anyBytes,
  'application/json': {
    schema: {
      description: 'By `format`. Without one, JSON of the target as it is.',
      anyOf: [
        ...Object.values(formats).map((name) => ({ $ref: `#/components/schemas/${name}` })),
        { type: ['object', 'array', 'string', 'number', 'boolean', 'null'] },
      ],
    },
    examples: pageExamples,
  },
};

/** JSON content that refers to a schema in `components`. */
export function jsonOf(name: string, examples: Json): Json {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` }, examples } };
}

/** A response to an authenticated caller. */
export function metered(description: string, headers: readonly HeaderName[], content?: Json): Json {
  return { description, headers: headersOf([...always, ...usage, ...headers]), ...(content && { content }) };
}

/** A response that needs no key. */
export function open(
  description: string,
  type: string,
  media: Json,
  headers: readonly HeaderName[] = [],
): Json {
  return { description, headers: headersOf([...always, ...headers]), content: { [type]: media } };
}
