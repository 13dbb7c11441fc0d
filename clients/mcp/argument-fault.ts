import type { fromJsonSchema as fromSchema } from '@modelcontextprotocol/server';
import { TOOLS } from './tools.ts';

type Validated = Parameters<typeof fromSchema>[0];

/** What is wrong with the arguments of a tool by its schema, in words that name the argument. */
export async function argumentFault(
  name: string,
  call: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const schema = TOOLS.find((tool) => tool.name === name)?.inputSchema;
  if (schema === undefined) return undefined;
  const known = Object.keys(schema.properties ?? {});
  const unknown = Object.keys(call).find((key) => !known.includes(key));
  if (unknown !== undefined)
    return `invalid_request: Unknown argument "${unknown}": ${name} has ${known.join(', ')}.`;
  // Other commands of the command line have no such package beside them.
  const { fromJsonSchema } = await import('@modelcontextprotocol/server');
  const { issues } = await fromJsonSchema(schema as Validated)['~standard'].validate(call);
  // The validator calls the arguments "data", and places in them by slashes.
  const found = issues?.map(({ message }) => message.replace(/^data[/ ]/, '').replaceAll('/', '.'));
  return found && `invalid_request: ${found.join('; ')}.`;
}
