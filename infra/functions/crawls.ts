import { Duration } from 'aws-cdk-lib';
import { Architecture, type Function } from 'aws-cdk-lib/aws-lambda';
import { serviceFunction } from '../constructs/service-function.ts';
import { permissionsOn } from '../permissions.ts';
import type { Resources } from '../resources.ts';
import { submittingPermissions, submittingVariables } from './submitting.ts';

/** Submits crawls, and streams their results. */
export function crawls(it: Resources, model: Function | undefined): Function {
  return serviceFunction(it, 'crawls', {
    // For a slow reader of results with their pages.
    timeout: Duration.seconds(300),
    architecture: Architecture.ARM_64,
    environment: {
      ...submittingVariables(it, model),
      ...(it.stage.mayIgnoreRobots && { ROBOTS_IGNORE: 'allowed' }),
    },
    permissions: [...submittingPermissions(it), permissionsOn(it).writePictures],
  });
}
