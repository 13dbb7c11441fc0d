import { clock } from '../../shared/adapters/clock.ts';
import * as compose from '../../shared/adapters/compose.ts';
import { telemetryOf } from '../../shared/adapters/telemetry.ts';
import { readEnv } from '../../shared/config.ts';
import { answerQuestion } from './answer-question.ts';

const config = readEnv('model');
const { log } = telemetryOf('model', config);

export const handler = answerQuestion({ ...clock, ...compose.modelOf(config) }, log);
export const buffered = handler;
