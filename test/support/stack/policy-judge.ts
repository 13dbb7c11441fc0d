import { readAssembly } from '../../../local/template/assembly.ts';
import { resolveResources } from '../../../local/template/resolve-intrinsics.ts';
import { z } from 'zod';

const oneOrMore = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const Statement = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Action: oneOrMore,
  Resource: oneOrMore,
  Condition: z
    .strictObject({
      'ForAllValues:StringLike': z.strictObject({ 'dynamodb:LeadingKeys': oneOrMore }),
      Null: z.strictObject({ 'dynamodb:LeadingKeys': z.literal('false') }),
    })
    .optional(),
});
const Policy = z.object({
  Roles: z.array(z.string()),
  PolicyDocument: z.object({ Statement: z.array(Statement) }),
});
const RoleOf = z.object({ Role: z.string() });

type Statement = z.infer<typeof Statement>;
type Condition = NonNullable<Statement['Condition']>;

/** One AWS call, as IAM sees it. */
export type JudgedCall = {
  /** Logical name of the calling function, without its hash. */
  caller: string;
  action: string;
  resource: string;
  /** Partition keys of the items that it touches: `dynamodb:LeadingKeys`. */
  leadingKeys?: string[];
};

export type PolicyJudge = {
  allows: (call: JudgedCall) => boolean;
  /** Takes an action from a function while the work is done. */
  without: <T>(caller: string, action: string, work: () => Promise<T>) => Promise<T>;
};

/** Judges calls by the policies of a cloud assembly, which name resources as the local stack does. */
export async function policyJudge(assembly: string): Promise<PolicyJudge> {
  const { stacks } = await readAssembly(assembly);
  const of = (type: string) => resolveResources(stacks, { sqs: '' }, new Set([type]));
  const policies = of('AWS::IAM::Policy').map(({ properties }) => Policy.parse(properties));
  const statements = new Map(
    of('AWS::Lambda::Function').map(({ id, properties }) => {
      const role = RoleOf.parse(properties).Role;
      const own = policies.filter(({ Roles }) => Roles.some((name) => role.endsWith(`:${name}`)));
      return [nameOf(id), own.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)];
    }),
  );
  const taken = new Set<string>();
  return {
    allows: (call) => {
      const fitting = (statements.get(call.caller) ?? []).filter((statement) => fits(statement, call));
      const isTaken = taken.has(`${call.caller} ${call.action}`);
      return !isTaken && fitting.length > 0 && fitting.every(({ Effect }) => Effect === 'Allow');
    },
    without: async (caller, action, work) => {
      taken.add(`${caller} ${action}`);
      return work().finally(() => taken.delete(`${caller} ${action}`));
    },
  };
}

/** The name in CDK's id of a function, which the local stack uses as its label. */
const nameOf = (id: string) => id.replace(/(Function)?[0-9A-F]{8}$/, '').toLowerCase();

function fits({ Action, Resource, Condition }: Statement, { action, resource, leadingKeys }: JudgedCall) {
  return (
    Action.some((pattern) => isLike(pattern, action)) &&
    Resource.some((pattern) => isLike(pattern, resource)) &&
    (Condition === undefined || hasItsKeys(Condition, leadingKeys))
  );
}

/** `Null: false` requires a key at all, `ForAllValues` that every key matches a pattern. */
function hasItsKeys(condition: Condition, keys: readonly string[] = []): boolean {
  const patterns = condition['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
  return keys.length > 0 && keys.every((key) => patterns.some((pattern) => isLike(pattern, key)));
}

/** IAM's wildcards: `*` is anything, `?` one character. */
function isLike(pattern: string, value: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(value);
}
