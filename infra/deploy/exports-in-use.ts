/** The parts of a template that tie stacks together. */
export type StackLinks = {
  Outputs?: Readonly<Record<string, { Export?: { Name?: unknown } }>>;
};

export type GivenUp = { stack: string; exported: string; usedBy: string };

type Templates = ReadonlyMap<string, StackLinks>;

/**
 * The exports that stacks would give up although another deployed stack still imports them.
 * CloudFormation refuses that halfway through a deployment:
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-stack-exports.html
 */
export function exportsInUse(deployed: Templates, next: Templates): GivenUp[] {
  return [...deployed].flatMap(([stack, template]) => {
    const kept = next.has(stack) ? exportsOf(next.get(stack) ?? {}) : exportsOf(template);
    return exportsOf(template)
      .filter((name) => !kept.includes(name))
      .flatMap((exported) =>
        [...deployed]
          .filter(([, other]) => importsOf(other).includes(exported))
          .map(([usedBy]) => ({ stack, exported, usedBy })),
      );
  });
}

/** The names of a template's exports, sorted. */
export function exportsOf({ Outputs = {} }: StackLinks): string[] {
  const names = Object.values(Outputs).map((output) => output.Export?.Name);
  return names.filter((name) => typeof name === 'string').toSorted();
}

/** The names of other stacks' exports that a template imports, sorted. */
export function importsOf(template: StackLinks): string[] {
  const found = JSON.stringify(template).matchAll(/"Fn::ImportValue":"([^"]+)"/g);
  return [...new Set([...found].map(([, name = '']) => name))].toSorted();
}
