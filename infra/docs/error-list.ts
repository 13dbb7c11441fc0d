import { catalogue, type ErrorCode, errorCodes } from '../../shared/errors.ts';
import { errorHelp } from './error-help.ts';

export function errorList(): string {
  const entries = errorCodes.map((code) => `## ${code}\n\n${errorText(code)}\n`);
  return `# Errors\n\n${INTRODUCTION}\n\n${entries.join('\n')}`;
}

/** What an error means, its cause and its remedy, in Markdown. */
export function errorText(code: ErrorCode): string {
  const { status, title, message, retryable } = catalogue[code];
  const retry = retryable ? ' It is retryable.' : '';
  const { cause, remedy } = errorHelp[code];
  return `**${status} ${title}**: ${message}${retry}\n\n${cause}\n\n${remedy}`;
}

const INTRODUCTION =
  'Every error of the API by its `code`. The service shows each under `/docs/errors/<code>`. Written by `npm run openapi`.';
