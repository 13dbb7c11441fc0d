const REGION = 'No AWS region is set. Set AWS_REGION, or a region in the AWS profile.';
const CREDENTIALS = 'No AWS credentials were found. Sign in with "aws sso login", or set AWS_PROFILE.';
const EXPIRED = 'The AWS credentials have expired. Sign in again.';
const UNKNOWN = 'AWS does not know these credentials.';
const DENIED = 'These AWS credentials lack a permission. docs/deploy.md lists those that are needed.';
const UNREACHABLE = 'AWS cannot be reached. Check the network and the region.';

/** Errors of the AWS SDK and of Node, by name or code, in an operator's words. */
const WORDS: Readonly<Record<string, string>> = {
  CredentialsProviderError: CREDENTIALS,
  TokenProviderError: CREDENTIALS,
  ExpiredToken: EXPIRED,
  ExpiredTokenException: EXPIRED,
  RequestExpired: EXPIRED,
  InvalidClientTokenId: UNKNOWN,
  UnrecognizedClientException: UNKNOWN,
  InvalidSignatureException: UNKNOWN,
  SignatureDoesNotMatch: UNKNOWN,
  AccessDenied: DENIED,
  AccessDeniedException: DENIED,
  ENOTFOUND: UNREACHABLE,
  EAI_AGAIN: UNREACHABLE,
  ECONNREFUSED: UNREACHABLE,
  ECONNRESET: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  TimeoutError: UNREACHABLE,
};

export function explainFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  // A plain Error, identified only by its text.
  if (error.message === 'Region is missing') return REGION;
  return WORDS[error.name] ?? WORDS[code] ?? error.message;
}
