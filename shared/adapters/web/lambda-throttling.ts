/** Vendor errors by name: https://docs.aws.amazon.com/lambda/latest/api/API_InvokeWithResponseStream.html */
const THROTTLED: readonly string[] = [
  'TooManyRequestsException',
  'EC2ThrottledException',
  'ThrottlingException',
];

/** Whether a function has no environment left for a call. */
export const isThrottled = (error: unknown): boolean =>
  error instanceof Error && THROTTLED.includes(error.name);
