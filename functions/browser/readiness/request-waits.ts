import type { Shows } from '../page/document-reader.ts';
import { isBegun, isPausing, type OpenRequest } from './open-request.ts';
import { FOREIGN_PASSIVE_MS, type Patience, STALLED_MS, UNANSWERED_MS, UNREAD_MS } from './patience.ts';
import type { Streams } from './streams.ts';

type Asked =
  | 'shows'
  | 'isOver'
  | 'mayLack'
  | 'answers'
  | 'isBarren'
  | 'isNews'
  | 'isBeside'
  | 'mayBring'
  | 'leftMs'
  | 'hears';

export type Needs = {
  patience: Pick<Patience, Asked>;
  streams: Pick<Streams, 'isFeeding' | 'feedMs'>;
  now: () => number;
};

type News = {
  isRepeat: (id: string, request: OpenRequest) => boolean;
  isOpaque: (id: string) => boolean;
};

/** Which requests are waited for, and how much longer. */
export function waits({ isRepeat, isOpaque }: News, { patience, streams, now }: Needs) {
  const isMissing = (id: string, request: OpenRequest) =>
    (request.bytes === 0 || isBegun(request)) &&
    request.isContent &&
    !isRepeat(id, request) &&
    patience.mayBring(request);
  const isShowing = () => patience.shows() === 'showing';
  // A page that looks whole polls its own server for what it lacks or adds, and others for what is theirs.
  const mayBringContent = (request: OpenRequest) =>
    patience.shows() === 'waiting' ||
    (request.isOwn && !request.isReport && (patience.mayLack() || !patience.isBarren(request)));
  const unansweredMs = ({ isPassive, isOwn }: OpenRequest) =>
    isPassive && !isOwn && patience.shows() === 'unknown'
      ? FOREIGN_PASSIVE_MS
      : UNANSWERED_MS[patience.shows()];
  const isAwaited = (id: string, request: OpenRequest) => isShowing() && isMissing(id, request);
  return {
    isMissing,
    isWaitedFor: (id: string, request: OpenRequest) => !patience.isOver() || isAwaited(id, request),
    leftOf: (id: string, request: OpenRequest): number => {
      const { sentAt, heardAt } = request;
      if (isShowing() && streams.isFeeding(id)) return streams.feedMs();
      if (request.isPeriodic && !mayBringContent(request)) return 0;
      if (isAwaited(id, request)) return patience.leftMs(request);
      if (request.isUnread) return 0;
      if (isShowing() && (isOpaque(id) || patience.isBeside(request))) return 0;
      if (heardAt === undefined) return unansweredMs(request) - (now() - sentAt);
      return (isPausing(request) ? STALLED_MS : UNREAD_MS)[patience.shows()] - (now() - heardAt);
    },
  };
}

/** Chromium reports the head of an untyped body with its first part: more may follow if the page waits. */
export const mayPause = (request: OpenRequest, shows: Shows) =>
  request.heardAt !== undefined && (isPausing(request) || shows === 'waiting');
