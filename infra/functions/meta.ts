import { Duration } from 'aws-cdk-lib';
import { Architecture, type Function } from 'aws-cdk-lib/aws-lambda';
import { serviceFunction } from '../constructs/service-function.ts';
import type { Resources } from '../resources.ts';

/** Serves the routes without a key: health, the API's description and the reference page. */
export function meta(it: Resources): Function {
  return serviceFunction(it, 'meta', {
    timeout: Duration.seconds(10),
    architecture: Architecture.ARM_64,
    environment: { API_URL: it.apiUrl },
    permissions: [],
  });
}
