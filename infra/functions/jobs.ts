import { Duration } from 'aws-cdk-lib';
import { Architecture, type Function } from 'aws-cdk-lib/aws-lambda';
import { serviceFunction } from '../constructs/service-function.ts';
import { permissionsOn } from '../permissions.ts';
import type { Resources } from '../resources.ts';
import { submittingPermissions, submittingVariables } from './submitting.ts';

export function jobs(it: Resources, model: Function | undefined): Function {
  const may = permissionsOn(it);
  return serviceFunction(it, 'jobs', {
    // For a slow reader of a result of 50 MB.
    timeout: Duration.seconds(300),
    architecture: Architecture.ARM_64,
    environment: submittingVariables(it, model),
    permissions: [...submittingPermissions(it), may.deleteJobs, may.deleteResults],
  });
}
