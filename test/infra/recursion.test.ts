import { describe, expect, test } from 'vitest';
import { everyOption, named, ofType, type Resources, synthesised } from './synthesised.ts';

const templates = [
  ['dev', await synthesised()],
  ['prod', await synthesised({ stage: 'prod' })],
  ['prod with every option', await synthesised({ stage: 'prod', but: everyOption })],
] as const;

describe.each(templates)('in %s', (_, { service, dashboard }) => {
  const resources = { ...service, ...dashboard };
  const reached = reachIn(resources);
  const functions = ofType(resources, 'AWS::Lambda::Function');
  const leadsToItself = (name: string) => reached(name).has(name);

  test('Lambda lets exactly the functions that lead to themselves continue after 16 turns', () => {
    const allowed = functions
      .filter(([, { Properties }]) => Properties.RecursiveLoop === 'Allow')
      .map(([id]) => nameOf(id));
    const recursive = functions.map(([id]) => nameOf(id)).filter(leadsToItself);
    expect(allowed.sort()).toEqual(recursive.sort());
    expect(recursive).toEqual(['NotifierFunction', 'SweeperFunction', 'WorkerFunction']);
  });

  test('nothing else invokes functions, so that no other loop is possible', () => {
    const callers = ofType(resources, 'AWS::Lambda::Permission').map(([, { Properties }]) =>
      String(Properties.Principal),
    );
    expect([...new Set(callers)].sort()).toEqual(['apigateway.amazonaws.com', 'events.amazonaws.com']);
  });
});

/** What a function or queue leads to: through messages, dead letters and invocations. */
function reachIn(resources: Resources) {
  const edges = [...sends(resources), ...receipts(resources), ...redrives(resources)];
  return (from: string) => {
    const found = new Set<string>();
    const follow = (at: string): void => {
      for (const [, to] of edges.filter(([start]) => start === at)) {
        if (found.has(to)) continue;
        found.add(to);
        follow(to);
      }
    };
    follow(from);
    return found;
  };
}

type Edge = readonly [from: string, to: string];
type Statement = { Action: string | string[]; Resource: unknown };

/** Actions by which a function leads to a queue or a function. */
const LEADING = /^(sqs:(SendMessage.*|\*)|lambda:(Invoke.*|\*)|\*)$/;

function sends(resources: Resources): Edge[] {
  return ofType(resources, 'AWS::IAM::Policy').flatMap(([, { Properties }]) => {
    const roles = (Properties.Roles as unknown[]).map(named);
    const users = ofType(resources, 'AWS::Lambda::Function').filter(([, it]) =>
      roles.includes(named(it.Properties.Role)),
    );
    const { Statement: all } = Properties.PolicyDocument as { Statement: Statement[] };
    const leading = all.filter(({ Action }) => [Action].flat().some((action) => LEADING.test(action)));
    return users.flatMap(([id]) =>
      leading.flatMap(({ Resource }) => [Resource].flat().map((to) => [nameOf(id), named(to)] as const)),
    );
  });
}

const receipts = (resources: Resources): Edge[] =>
  ofType(resources, 'AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => [
    named(Properties.EventSourceArn),
    named(Properties.FunctionName),
  ]);

const redrives = (resources: Resources): Edge[] =>
  ofType(resources, 'AWS::SQS::Queue').flatMap(([id, { Properties }]) =>
    Properties.RedrivePolicy ? [[nameOf(id), named(Properties.RedrivePolicy)] as const] : [],
  );

const nameOf = (id: string) => id.replace(/[0-9A-F]{8}$/, '');
