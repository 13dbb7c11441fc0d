/** Apart from infra/stages.ts, which takes a second to load, as it imports the CDK. */
export const stageNames = ['dev', 'prod'] as const;

export type StageName = (typeof stageNames)[number];

export const isStageName = (name: unknown): name is StageName => stageNames.some((each) => each === name);
