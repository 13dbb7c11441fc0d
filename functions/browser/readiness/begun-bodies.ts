import type { CDPSession } from 'puppeteer-core';
import { saysNotYet } from './poll-answers.ts';
import type { Activity } from './watch-activity.ts';

/**
 * Chromium reports no end of a body that the page does not read. So JSON that has begun is read here, to see
 * whether its rest is still to come.
 */
export async function judgeBegunBodies(
  session: CDPSession,
  { inDoubt, judge, answers }: Pick<Activity, 'inDoubt' | 'judge' | 'answers'>,
): Promise<void> {
  for (const id of inDoubt()) judge(id, !isCut(await begunBody(session, id)));
  for (const id of answers.unread()) answers.judge(id, saysNotYet(await bodyOf(session, id)));
}

/** Empty of what is not kept, or has ended. */
async function begunBody(session: CDPSession, requestId: string): Promise<string> {
  try {
    const { bufferedData } = await session.send('Network.streamResourceContent', { requestId });
    return Buffer.from(bufferedData, 'base64').toString();
  } catch (error) {
    if (session.detached) throw error;
    return '';
  }
}

/** Empty of what is not kept. */
async function bodyOf(session: CDPSession, requestId: string): Promise<string> {
  try {
    return (await session.send('Network.getResponseBody', { requestId })).body;
  } catch (error) {
    if (session.detached) throw error;
    return '';
  }
}

/** JSON whose first error is its end. */
export function isCut(text: string): boolean {
  try {
    if (text !== '') JSON.parse(text);
    return false;
  } catch (error) {
    const { message } = error as SyntaxError;
    return /end of JSON|Unterminated/.test(message) || message.includes(`position ${text.length}`);
  }
}
