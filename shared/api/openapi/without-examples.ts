import type { Json } from '../../contract/json-schema.ts';

/** Statuses from here on are errors. */
const FIRST_ERROR = 400;

const ANY_ERROR = {
  description: 'An error: its `code` and `message` say what to do.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

/** An OpenAPI document without examples and headers of responses, with one response for all errors. */
export function withoutExamples(document: Json): Json {
  const { components, ...others } = document as { components: Json };
  const { headers: _headers, examples: _examples, ...kept } = components;
  return { ...(small(others) as Json), components: small(kept) };
}

/** `isNamed` says that the keys are names of properties, and no words of OpenAPI. */
function small(value: unknown, isNamed = false): unknown {
  if (Array.isArray(value)) return value.map((each) => small(each));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key]) => isNamed || (key !== 'example' && key !== 'examples' && key !== 'headers'),
  );
  return Object.fromEntries(
    entries.map(([key, each]) => [
      key,
      key === 'responses' && !isNamed
        ? smallResponses(each as Json)
        : small(each, key === 'properties' && !isNamed),
    ]),
  );
}

function smallResponses(responses: Json): Json {
  const successes = Object.entries(responses).filter(([status]) => Number(status) < FIRST_ERROR);
  return {
    ...Object.fromEntries(successes.map(([status, each]) => [status, small(each)])),
    default: ANY_ERROR,
  };
}
