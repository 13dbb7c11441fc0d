import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import type { Hands } from './hands.ts';

export const wait = ({ pace }: Hands, { ms }: StepOf<'wait'>): Promise<void> => pace.pass(ms);
