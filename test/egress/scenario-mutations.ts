import { inFile, type Mutation } from './mutation.ts';

const FAILURES = 'test/browser/scenario-failures.test.ts';
const FUNCTIONAL = 'test/functional/scenario.test.ts';

const running = inFile('functions/browser/actions/run-scenario.ts', FAILURES);
const sending = inFile('functions/browser/actions/hands.ts', FAILURES);
const waking = inFile('functions/browser/rendered-page.ts', 'test/browser/waits.test.ts');
const reporting = inFile('functions/browser/actions/report.ts', FAILURES);
const aiming = inFile('functions/browser/actions/ready-to-act.ts', FAILURES);
const resting = inFile('functions/browser/actions/ready-to-act.ts', FAILURES);
const forgetting = inFile('shared/domain/job/state.ts', FUNCTIONAL);
const keeping = inFile('shared/domain/scenario/kept-report.ts', FUNCTIONAL);
const limiting = inFile('shared/contract/js-scenario.ts', FUNCTIONAL);

/** What keeps a scenario within its time, its page and its secrets. */
export const scenarioMutations: readonly Mutation[] = [
  running('MAX_STEPS = 2_000', 'MAX_STEPS = 20_000', 'of endless rounds ends after 2,000 steps'),
  sending(
    'untilAborted(session.send(...command), signal)',
    'untilAborted(session.send(...command), new AbortController().signal)',
    'that waits for a promise that never resolves',
  ),
  running('report.redacted(words)', 'words', 'reports no query and nothing that was typed'),
  waking('() => void wake()', '() => void [wake]', 'a script that never ends leaves the page as partial'),
  reporting('${url.origin}${url.pathname}', '${url.href}', 'reports no query and nothing that was typed'),
  aiming(
    "if (cover !== '') return",
    "if (cover === 'never') return",
    'does not click an element that is covered',
  ),
  resting('next.box !== state.box', "next.box === ''", 'does not click an element that is moving'),
  forgetting(', jsScenario: undefined', '', 'is forgotten when its job ends'),
  keeping(
    '.map(({ result: _result, screenshot: _screenshot, ...step }) => step)',
    '',
    'that fails as a job is not tried again',
  ),
  limiting('depth >= MAX_DEPTH', 'depth >= 99', 'is refused at'),
];
