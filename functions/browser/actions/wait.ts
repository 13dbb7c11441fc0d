import type { StepOf } from '../../../shared/domain/scenario/steps.ts';
import type { Hands } from './hands.ts';

export const wait = ({ pace }: Hands, { ms }: StepOf<'wait'>): Promise<void> => pace.pass(ms);
