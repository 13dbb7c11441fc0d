import { join } from 'node:path';
import { totalmem } from 'node:os';
import type { FunctionLogs } from './function-logs.ts';
import { functionVariables, type Surroundings } from './function-variables.ts';
import { runFunction, type LambdaFunction } from './lambda/lambda-function.ts';
import type { Blueprint, FunctionBlueprint } from './template/blueprint.ts';

type Options = {
  blueprint: Pick<Blueprint, 'functions'>;
  surroundings: Surroundings;
  logs: FunctionLogs;
  localDir: string;
  maxEnvironments?: number | undefined;
  wrote: (line: string) => void;
};

/** AWS's default for an account. https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html */
const ACCOUNT_CONCURRENCY = 1_000;

/** The functions of the templates, by name. None has an environment yet. */
export function runFunctions(options: Options): [string, LambdaFunction][] {
  const { blueprint, surroundings, logs, localDir, maxEnvironments, wrote } = options;
  // Without an endpoint there is nothing that the model function could call.
  const running = blueprint.functions.filter(({ label }) => label !== 'model' || surroundings.model);
  return running.map((it) => {
    const log = logs.of(it.label);
    const lambda = runFunction({
      spec: { ...it, variables: functionVariables(it, surroundings) },
      reservedConcurrency: it.reservedConcurrency ?? ACCOUNT_CONCURRENCY,
      maxEnvironments: maxEnvironments ?? environmentsFor(it),
      temporary: join(localDir, 'tmp'),
      log: (line) => {
        log(line);
        wrote(line);
      },
    });
    return [it.name, lambda];
  });
}

const MIN_ENVIRONMENTS = 4;
const MAX_ENVIRONMENTS = 32;
const MEBIBYTE = 2 ** 20;

/** As many as fit this machine if each used all of its memory. */
function environmentsFor({ memoryMb }: FunctionBlueprint): number {
  const fitting = Math.floor(totalmem() / MEBIBYTE / memoryMb);
  return Math.min(Math.max(fitting, MIN_ENVIRONMENTS), MAX_ENVIRONMENTS);
}
