import { catalogue, errorCodes } from '../../shared/errors.ts';
import { errorHelp } from './error-help.ts';

export function errorList(): string {
  const entries = errorCodes.map((code) => {
    const { status, title, message, retryable } = catalogue[code];
    const retry = retryable ? ' It is retryable.' : '';
    const { cause, remedy } = errorHelp[code];
    return `## ${code}\n\n**${status} ${title}**: ${message}${retry}\n\n${cause}\n\n${remedy}\n`;
  });
  return `# Errors\n\n${INTRODUCTION}\n\n${entries.join('\n')}`;
}

const INTRODUCTION =
  'Every error of the API by its `code`. The service shows each under `/docs/errors/<code>`. Written by `npm run openapi`.';
