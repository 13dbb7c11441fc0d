import type { DocumentReader } from '../page/document-reader.ts';
import type { PageClock } from '../clock/page-clock.ts';
import type { PageFrames } from '../clock/page-frames.ts';
import type { Activity } from './watch-activity.ts';
import type { Workers } from '../page/watch-workers.ts';

export type Settling = {
  clock: PageClock;
  activity: Activity;
  reader: Pick<DocumentReader, 'isInTransition' | 'isIdling' | 'animatedMs' | 'framed'>;
  workers: Pick<Workers, 'areBusy'>;
  pid: number;
  frames: PageFrames;
  limit: AbortSignal;
};
