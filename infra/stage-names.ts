import { didYouMean } from './did-you-mean.ts';
import { oneOf } from './one-of.ts';

/** Apart from infra/stages.ts, which takes a second to load, as it imports the CDK. */
export const stageNames = ['dev', 'prod'] as const;

export type StageName = (typeof stageNames)[number];

export const isStageName = (name: unknown): name is StageName => stageNames.some((each) => each === name);

/** Why this is not the name of a stage; undefined if it is. */
export function stageFault(name: unknown): string | undefined {
  if (isStageName(name)) return undefined;
  const meant = didYouMean(String(name), stageNames);
  return `The stage must be ${oneOf(stageNames)}, not "${String(name)}".${meant}`;
}
