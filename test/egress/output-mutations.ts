import { inFile, type Mutation } from './mutation.ts';

const OUTPUTS = 'test/functional/outputs.test.ts';
const PICTURES = 'test/functional/screenshots.test.ts';
const VERDICTS = 'test/unit/verdict.test.ts';
const WALLS = 'test/unit/walls.test.ts';
const CLOCK = 'test/browser/page-clock.test.ts';
const TALL = 'test/browser/tall-pages.test.ts';

const charging = inFile('shared/domain/credits/charge.ts', OUTPUTS);
const reasoning = inFile('shared/domain/credits/credits-reason.ts', OUTPUTS);
const shaping = inFile('shared/use-cases/shape-page.ts', PICTURES);
const rendering = inFile('shared/contract/rendered-with.ts', PICTURES);
const judging = inFile('shared/domain/verdict/judge.ts', VERDICTS);
const reading = inFile('shared/domain/verdict/signs.ts', VERDICTS);
const quoting = inFile('shared/domain/verdict/signs.ts', WALLS);
const demanding = inFile('shared/domain/verdict/bot-walls.ts', WALLS);
const bare = inFile('shared/domain/verdict/makers.ts', WALLS);
const looking = inFile('functions/browser/pictures/whole-page.ts', TALL);
const drawing = inFile('functions/browser/ready/page-clock.ts', CLOCK);
const viewing = inFile('functions/browser/pictures/view-script.ts', TALL);

/** What is charged, what a page is called, and what a picture shows. */
export const outputMutations: readonly Mutation[] = [
  charging(' && !isUncharged(verdict)', '', 'names a bot wall, which costs nothing whatever its status'),
  charging(
    "['bot_wall', 'payment_required']",
    "['payment_required']",
    'names a bot wall, which costs nothing',
  ),
  reasoning("if (verdict?.kind === 'bot_wall') return 'wall';", '', 'names a bot wall, which costs nothing'),
  reasoning("  'not_convertible',\n", '', 'costs nothing as markdown'),
  shaping('  assertPictures(request, page, pictures);\n', '', 'of a file does not exist, and costs nothing'),
  rendering(
    '&& { blockResources: false }',
    '&& {}',
    'reach the browser only with their format, and with images',
  ),
  rendering('pictures.length > 0 || ', '', 'reach the browser only with their format, and with images'),
  judging(
    "if (signs.status === PAYMENT_REQUIRED) return { kind: 'payment_required', ...priceOf(page, signs) };",
    '',
    'has its price',
  ),
  judging(
    'return isThere(reached) && !isThere(asked);',
    'return isThere(reached);',
    'a consent page in the place of',
  ),
  judging('if (isMoved && !isAsked && ', 'if (isMoved && ', 'that was requested is a page'),
  reading(
    'isSparse: isRead && words <= FEW_WORDS',
    'isSparse: isRead',
    'is a wall of words in a page of its own',
  ),
  quoting(' && !text().includes(mark)', '', 'which is documentation of a wall'),
  demanding('!FIELD.test(html) && ', '', 'which is a login with a captcha'),
  demanding(' && !FAULTS.includes(status)', '', 'which is a failed search'),
  demanding(' && MEANS.test(html)', '', 'which is a band'),
  bare('(it.words === 0 || it.says(DEMANDS_SCRIPTS))', 'it.isSparse', 'for what f5 leaves on each page'),
  looking("end = (await view('extent')).height;", '', 'a page that grows'),
  looking('STRIDE = 0.75', 'STRIDE = 1', 'images for an observer of most of each'),
  looking('    await pace.pass(stepMs / 2);\n    end', '    end', 'a page that grows'),
  drawing('clock.framedAt + SHORTEST_MS', '0', 'draws frames one after another while the clock'),
  drawing('if (clock.drawing) await clock.drawing;', '', 'a frame shows what the page did since'),
  looking('  await whileLoading(studio);\n  await view', '  await view', 'slow images'),
  viewing("contentVisibility === 'auto'", "contentVisibility === 'never'", 'contents of another size'),
  viewing("position === 'sticky' && bottom !== 'auto'", "position === 'never'", 'a sticky foot'),
  viewing("['hidden', 'clip'].includes", "['never'].includes", 'wider things that are cut off'),
];
