import { Duration } from 'aws-cdk-lib';
import { Architecture, type Function } from 'aws-cdk-lib/aws-lambda';
import { serviceFunction } from '../constructs/service-function.ts';
import { permissionsOn } from '../permissions.ts';
import type { Resources } from '../resources.ts';
import { submittingPermissions, submittingVariables } from './submitting.ts';

/** Submits batches, and streams their results. */
export function batches(it: Resources, model: Function | undefined): Function {
  const may = permissionsOn(it);
  return serviceFunction(it, 'batches', {
    // For a slow reader of results with their pages.
    timeout: Duration.seconds(300),
    architecture: Architecture.ARM_64,
    environment: submittingVariables(it, model),
    permissions: [
      ...submittingPermissions(it),
      may.writeUploads,
      may.deleteUploads,
      may.findUploads,
      may.writePictures,
    ],
  });
}
