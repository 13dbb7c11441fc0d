import { parentPort } from 'node:worker_threads';
import type { Conversion, Converted } from '../contract/scrape/output.ts';
import { convertPage } from './convert-page.ts';
import { NotConvertible, type Obstacle } from '../contract/scrape/not-convertible.ts';

export type ThreadAnswer =
  /** The code for this document is loaded, and its own time begins. */
  | { outcome: 'loaded' }
  | { outcome: 'converted'; converted: Converted }
  | { outcome: 'refused'; obstacle: Obstacle; detail: string }
  | { outcome: 'failed'; message: string };

parentPort?.on('message', (page: Conversion) => void answer(page));

async function answer(page: Conversion): Promise<void> {
  try {
    const converted = await convertPage(page, () => send({ outcome: 'loaded' }));
    // Values that cannot be cloned fail here.
    send({ outcome: 'converted', converted });
  } catch (error) {
    send(answerFor(error));
  }
}

// Of damaged PDFs, whose package leaves some rejections unhandled: reading them fails or ends by itself.
process.on('unhandledRejection', () => {});

const send = (answer: ThreadAnswer) => parentPort?.postMessage(answer);

// The first message says that all code is loaded.
parentPort?.postMessage('ready');

function answerFor(error: unknown): ThreadAnswer {
  if (error instanceof NotConvertible)
    return { outcome: 'refused', obstacle: error.obstacle, detail: error.message };
  // Of a string or a list that is too long, and of too many calls.
  if (error instanceof RangeError)
    return { outcome: 'refused', obstacle: isTooDeep(error) ? 'depth' : 'memory', detail: error.message };
  return {
    outcome: 'failed',
    message: error instanceof Error ? (error.stack ?? error.message) : 'unknown',
  };
}

const isTooDeep = ({ message }: RangeError) => message.startsWith('Maximum call stack');
