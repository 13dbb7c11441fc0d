import type { Blueprint } from './blueprint.ts';

/** Names and URLs of resources, as functions know them: `JOBS_TABLE` is `tables.jobs`. */
export type ResourceNames = {
  tables: Record<string, string>;
  queues: Record<string, string>;
  buckets: Record<string, string>;
  pools: Record<string, string>;
  functions: Record<string, string>;
};

export function resourceNames({ functions }: Pick<Blueprint, 'functions'>): ResourceNames {
  const variables = functions.flatMap((it) => Object.entries(it.variables));
  const endingIn = (suffix: string) =>
    Object.fromEntries(
      variables
        .filter(([name]) => name.endsWith(suffix))
        .map(([name, value]) => [name.slice(0, -suffix.length).toLowerCase(), value]),
    );
  return {
    tables: endingIn('_TABLE'),
    queues: endingIn('_QUEUE_URL'),
    buckets: endingIn('_BUCKET'),
    pools: endingIn('_POOL_ID'),
    functions: Object.fromEntries(functions.map(({ label, name }) => [label, name])),
  };
}
