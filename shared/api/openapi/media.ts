import type { Json } from '../../contract/json-schema.ts';
import { always, type HeaderName, headersOf, usage } from './headers.ts';

/** Any bytes of any type: what the target sent, or the DOM as HTML. */
export const anyBytes = {
  '*/*': {
    schema: { type: 'string', format: 'binary' },
    examples: { html: { summary: 'HTML', value: '<!doctype html><title>Example</title><h1>Example</h1>' } },
  },
};

/** Content by the name of a schema that the document describes once. */
export function jsonOf(name: string, examples: Json): Json {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` }, examples } };
}

/** A response to a caller that is known. */
export function metered(description: string, headers: readonly HeaderName[], content?: Json): Json {
  return { description, headers: headersOf([...always, ...usage, ...headers]), ...(content && { content }) };
}

/** A response to anybody. */
export function open(
  description: string,
  type: string,
  media: Json,
  headers: readonly HeaderName[] = [],
): Json {
  return { description, headers: headersOf([...always, ...headers]), content: { [type]: media } };
}
