import { AppError } from '../../errors.ts';

/** More nested encodings than this are an attack. */
const MAX_STAGES = 5;

export function encodingsOf(contentEncoding: string): string[] {
  const stages = contentEncoding
    .toLowerCase()
    .split(',')
    .map((stage) => stage.trim());
  const encodings = stages.filter((stage) => stage !== '' && stage !== 'identity');
  if (encodings.length > MAX_STAGES) throw new AppError('bad_upstream_response');
  return encodings;
}
