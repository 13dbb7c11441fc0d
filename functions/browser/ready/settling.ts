import type { DocumentReader } from './document-reader.ts';
import type { PageClock } from './page-clock.ts';
import type { PageFrames } from './page-frames.ts';
import type { Activity } from './watch-activity.ts';
import type { Workers } from './watch-workers.ts';

export type Settling = {
  clock: PageClock;
  activity: Activity;
  reader: Pick<DocumentReader, 'isInTransition' | 'isIdling' | 'animatedMs' | 'framed'>;
  workers: Pick<Workers, 'areBusy'>;
  pid: number;
  frames: PageFrames;
  limit: AbortSignal;
};
