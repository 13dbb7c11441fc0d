import { clock } from '../../shared/adapters/clock.ts';
import { modelOf } from '../../shared/adapters/model/model-of.ts';
import { telemetryOf } from '../../shared/adapters/telemetry.ts';
import { readEnv } from '../../shared/config.ts';
import { answerQuestion } from './answer-question.ts';

const config = readEnv('model');
const { log } = telemetryOf('model', config);

export const handler = answerQuestion({ ...clock, ...modelOf(config) }, log);
export const buffered = handler;
