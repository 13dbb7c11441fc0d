import { stages } from '../../../infra/stages.ts';

/** The limits of the deployed browser function. Another test holds the template to the second one. */
export const STAGE_LIMITS = { memoryMb: stages.dev.memory.browser, temporaryMb: 1_024 } as const;
