import type { Environment } from '../../config.ts';
import type { ModelEffects } from '../../ports/scrape.ts';
import { clock } from '../clock.ts';
import { keptSecret } from '../kept-secret.ts';
import { secretsClient } from '../secrets-vault.ts';
import { bedrockClient, bedrockModel } from './bedrock-model.ts';
import { openaiModel } from './openai-model.ts';
import { withinTime } from './within-time.ts';

/** The model that the operator has chosen, of one kind or the other. */
export function modelOf(config: Environment<'model'>): ModelEffects {
  const { MODEL_URL: baseUrl, MODEL_NAME: name, MODEL_STRUCTURED: structured } = config;
  const { MODEL_SECRET_ARN: arn, MODEL_KEY: key, BEDROCK_MODEL_ID: modelId } = config;
  if (modelId !== undefined)
    return { complete: bedrockModel({ client: bedrockClient(), modelId }), withinTime: withinTime() };
  if (baseUrl === undefined) throw new Error('Neither MODEL_URL nor BEDROCK_MODEL_ID is set.');
  const secret = keptSecret(secretsClient(), clock.now);
  const readKey = () => (arn === undefined ? Promise.resolve(key) : secret(arn));
  return { complete: openaiModel({ baseUrl, name, structured, readKey }), withinTime: withinTime() };
}
