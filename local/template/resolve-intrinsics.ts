import type { Resource, StackTemplate } from './assembly.ts';
import { attributeOf, type Endpoints, pseudoParameters, referenceTo } from './physical.ts';

export type ResolvedResource = {
  stackName: string;
  id: string;
  type: string;
  properties: Record<string, unknown>;
};

type Stack = { template: StackTemplate; all: readonly StackTemplate[]; endpoints: Endpoints };

/**
 * All resources of these types, with their properties as plain values. Throws on an intrinsic function that
 * CDK does not write for this app.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html
 */
export function resolveResources(
  stacks: readonly StackTemplate[],
  endpoints: Endpoints,
  types: ReadonlySet<string>,
): ResolvedResource[] {
  return stacks.flatMap((template) => {
    const stack = { template, all: stacks, endpoints };
    return Object.entries(template.Resources)
      .filter(([, { Type }]) => types.has(Type))
      .map(([id, { Type, Properties }]) => ({
        stackName: template.stackName,
        id,
        type: Type,
        properties: resolve(Properties, stack) as Record<string, unknown>,
      }));
  });
}

function resolve(value: unknown, stack: Stack): unknown {
  if (Array.isArray(value))
    return value.map((item) => resolve(item, stack)).filter((item) => item !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  if (entries.length === 1 && name !== undefined && (name === 'Ref' || name.startsWith('Fn::'))) {
    return call(name, argument, stack);
  }
  return Object.fromEntries(
    entries.map(([key, item]) => [key, resolve(item, stack)]).filter(([, item]) => item !== undefined),
  );
}

const functions: Readonly<Record<string, (argument: never, stack: Stack) => unknown>> = {
  Ref: (name: string, stack) => reference(name, stack),
  'Fn::GetAtt': ([id, attribute]: [string, string], stack) => {
    const properties = (key: string) => resolve(resourceOf(id, stack).Properties[key], stack);
    return attributeOf(attribute, {
      ...resourceOf(id, stack),
      id,
      stackName: stack.template.stackName,
      properties,
    });
  },
  'Fn::Join': ([separator, parts]: [string, unknown[]], stack) =>
    parts.map((part) => text(resolve(part, stack))).join(separator),
  'Fn::Select': ([index, list]: [string | number, unknown], stack) =>
    (resolve(list, stack) as unknown[])[Number(index)],
  'Fn::Split': ([separator, source]: [string, unknown], stack) =>
    text(resolve(source, stack)).split(separator),
  'Fn::Sub': (argument: string | [string, Record<string, unknown>], stack) => {
    const [template, variables] = Array.isArray(argument) ? argument : [argument, {}];
    return template.replace(/\$\{([^!}][^}]*)\}/g, (_, name: string) => {
      if (name in variables) return text(resolve(variables[name], stack));
      const [id, attribute] = name.split('.');
      return text(call(attribute ? 'Fn::GetAtt' : 'Ref', attribute ? [id, attribute] : name, stack));
    });
  },
  'Fn::ImportValue': (argument: unknown, stack) => imported(text(resolve(argument, stack)), stack),
};

function call(name: string, argument: unknown, stack: Stack): unknown {
  const found = functions[name];
  if (!found) throw new Error(`The template uses ${name}, which the local stack does not know.`);
  return found(argument as never, stack);
}

function reference(name: string, stack: Stack): unknown {
  const { template, endpoints } = stack;
  if (name === 'AWS::NoValue') return undefined;
  if (name === 'AWS::StackName') return template.stackName;
  if (name in pseudoParameters) return pseudoParameters[name];
  const parameter = template.Parameters[name];
  if (parameter) return parameter.Default;
  const properties = (key: string) => resolve(resourceOf(name, stack).Properties[key], stack);
  const resource = { ...resourceOf(name, stack), id: name, stackName: template.stackName, properties };
  return referenceTo(resource, endpoints);
}

function imported(exportName: string, stack: Stack): unknown {
  for (const template of stack.all) {
    const output = Object.values(template.Outputs).find(({ Export }) => Export?.Name === exportName);
    if (output) return resolve(output.Value, { ...stack, template });
  }
  throw new Error(`No stack exports ${exportName}.`);
}

function resourceOf(id: string, { template }: Stack): Resource {
  const resource = template.Resources[id];
  if (!resource) throw new Error(`There is no ${id} in ${template.stackName}.`);
  return resource;
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`Expected text in the template, found ${JSON.stringify(value)}.`);
}
