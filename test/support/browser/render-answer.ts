import { gunzipSync } from 'node:zlib';
import { RenderAnswer } from '../../../shared/contract/scrape/messages.ts';

/** The browser function's response, and what follows its first line: as sent, and unpacked. */
export function renderAnswerIn(bytes: Buffer): { answer: RenderAnswer; sent: Buffer; body: Buffer } {
  const end = bytes.indexOf('\n');
  if (end < 0) throw new Error('The browser function returned no response.');
  const sent = bytes.subarray(end + 1);
  const answer = RenderAnswer.parse(JSON.parse(bytes.toString('utf8', 0, end)));
  const body = answer.outcome === 'page' && answer.encoding ? gunzipSync(sent) : sent;
  return { answer, sent, body };
}
