import type { MemberCall } from '../page-call.ts';
import { askPage } from './ask-page.ts';
import type { Html } from '../html.ts';

type Cancelled = {
  kind: 'job' | 'batch' | 'crawl';
  id: string;
  /** Where it is shown. */
  path: string;
  /** What it is about: a URL, a number of requests. */
  about: string;
};

const effects: Readonly<Record<Cancelled['kind'], string>> = {
  job: 'It ends as failed with the error cancelled. Nothing is charged, and there is no result. It cannot be resumed.',
  batch:
    'No further request begins. Requests in progress may still complete and are charged; results so far are kept. It cannot be resumed.',
  crawl:
    'No further page is requested. Pages in progress may still complete and are charged; pages so far are kept. It cannot be resumed.',
};

/** Asks before something in progress is cancelled. */
export function cancelPage(call: MemberCall, { kind, id, path, about }: Cancelled): Html {
  return askPage(call, {
    title: `Cancel this ${kind}?`,
    about,
    effect: effects[kind],
    form: { action: `/cancel-${kind}`, hidden: { id }, submit: `Cancel the ${kind}` },
    back: { path, label: `Back to the ${kind}` },
  });
}
