import { stages } from '../../../infra/stages.ts';

/** What the browser function has once it is deployed; the template is held to the second by a test of its own. */
export const STAGE_LIMITS = { memoryMb: stages.dev.memory.browser, temporaryMb: 1_024 } as const;
