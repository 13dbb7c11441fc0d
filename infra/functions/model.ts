import { Arn, ArnFormat, Duration, type Stack } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Architecture, type Function } from 'aws-cdk-lib/aws-lambda';
import { serviceFunction } from '../constructs/service-function.ts';
import { invokeModel, readOf } from '../permissions.ts';
import type { Resources } from '../resources.ts';
import type { Model } from '../stages.ts';

/** Reads values from pages by the stage's model, which is all that it may reach. Undefined without one. */
export function model(it: Resources): Function | undefined {
  const { model: chosen } = it.stage;
  if (chosen === undefined) return undefined;
  return serviceFunction(it, 'model', {
    // A scrape takes 120 s at most.
    timeout: Duration.seconds(125),
    architecture: Architecture.ARM_64,
    environment: variablesOf(chosen),
    permissions: permissionsOf(chosen, it.stack),
  });
}

function variablesOf(chosen: Model): Record<string, string> {
  if (chosen.kind === 'bedrock') return { BEDROCK_MODEL_ID: chosen.modelId };
  const { baseUrl, name, structured, secretArn } = chosen;
  return {
    ...{ MODEL_URL: baseUrl, MODEL_NAME: name, MODEL_STRUCTURED: structured },
    ...(secretArn !== undefined && { MODEL_SECRET_ARN: secretArn }),
  };
}

function permissionsOf(chosen: Model, stack: Stack): PolicyStatement[] {
  if (chosen.kind === 'openai') return chosen.secretArn === undefined ? [] : [readOf(chosen.secretArn)];
  const { modelId } = chosen;
  const modelIn = (region: string, resourceName: string) =>
    Arn.format(
      { service: 'bedrock', region, account: '', resource: 'foundation-model', resourceName },
      stack,
    );
  const profile = profileArn(modelId, stack);
  if (profile === undefined)
    return [invokeModel(modelId.startsWith('arn:') ? modelId : modelIn(stack.region, modelId))];
  return [invokeModel(profile), invokeModel(modelIn('*', '*'), profile)];
}

/** A profile such as `eu.anthropic.claude…` sends calls to its model in several regions. */
const PROFILE = /^(?:[a-z]{2}(?:-gov)?|apac|global)\.[a-z0-9-]+\./;
const OF_PROFILE: readonly (string | undefined)[] = ['inference-profile', 'application-inference-profile'];

function profileArn(modelId: string, stack: Stack): string | undefined {
  if (modelId.startsWith('arn:'))
    return OF_PROFILE.includes(Arn.split(modelId, ArnFormat.SLASH_RESOURCE_NAME).resource)
      ? modelId
      : undefined;
  if (!PROFILE.test(modelId)) return undefined;
  return stack.formatArn({ service: 'bedrock', resource: 'inference-profile', resourceName: modelId });
}
