import { inFile, type Mutation } from './mutation.ts';

const DASHBOARD = 'test/functional/dashboard.test.ts';
const VIEWS = 'test/functional/dashboard-views.test.ts';
const KEYS = 'test/functional/keys.test.ts';
const MEMBERS = 'test/functional/members.test.ts';
const PLAYGROUND = 'test/functional/playground.test.ts';
const CAPS = 'test/contract/key-caps.test.ts';

const serving = inFile('functions/dashboard/serve.ts', DASHBOARD);
const calling = inFile('functions/dashboard/page-call.ts', DASHBOARD);
const limiting = inFile('functions/dashboard/limited.ts', DASHBOARD);
const buckets = inFile('shared/domain/account/form-limits.ts', DASHBOARD);
const signIn = inFile('functions/dashboard/pages/sign-in.ts', DASHBOARD);
const signUp = inFile('functions/dashboard/pages/sign-up.ts', DASHBOARD);
const password = inFile('functions/dashboard/pages/password.ts', DASHBOARD);
const confirm = inFile('functions/dashboard/pages/confirm.ts', DASHBOARD);
const join = inFile('functions/dashboard/pages/join.ts', DASHBOARD);
const settings = inFile('functions/dashboard/pages/settings.ts', DASHBOARD);
const session = inFile('shared/domain/account/session.ts', DASHBOARD);
const membership = inFile('shared/domain/account/session.ts', MEMBERS);
const keeping = inFile('shared/use-cases/keep-session.ts', DASHBOARD);
const secret = inFile('shared/domain/account/secret.ts', DASHBOARD);
const hashed = inFile('shared/domain/account/api-key.ts', DASHBOARD);
const keyPages = inFile('functions/dashboard/pages/keys.ts', DASHBOARD);
const members = inFile('shared/use-cases/manage-members.ts', MEMBERS);
const removed = inFile('shared/use-cases/manage-members.ts', PLAYGROUND);
const lock = inFile('shared/use-cases/lock-members.ts', MEMBERS);
const rotating = inFile('shared/use-cases/manage-keys.ts', VIEWS);
const csv = inFile('functions/dashboard/csv.ts', VIEWS);
const jobOf = inFile('shared/use-cases/find-job.ts', 'test/functional/jobs.test.ts');

const origin = inFile('shared/http/cross-origin.ts', 'test/functional/cross-origin.test.ts');
const restriction = inFile('shared/domain/account/key-restrictions.ts', KEYS);
const responding = inFile('shared/http/respond.ts', KEYS);
const scraping = inFile('functions/scraper/scrape-now.ts', KEYS);
const submitting = inFile('functions/jobs/submit-job.ts', KEYS);
const working = inFile('functions/worker/take-slot.ts', KEYS);
const playground = inFile('shared/use-cases/playground-key.ts', PLAYGROUND);
const playgroundKey = inFile('functions/dashboard/pages/playground.ts', PLAYGROUND);
const expiry = inFile('shared/http/authenticate.ts', PLAYGROUND);
const cap = inFile('shared/domain/credits/admission.ts', CAPS);
const capWrite = inFile('shared/adapters/dynamodb/cap-writes.ts', CAPS);
const dayWrite = inFile('shared/adapters/dynamodb/day-writes.ts', CAPS);
const bucketItem = inFile('shared/adapters/dynamodb/rate-buckets.ts', 'test/contract/people.test.ts');
const days = inFile('shared/adapters/dynamodb/keep-days.ts', 'test/contract/usage-days.test.ts');

/** The safeguards of people's accounts, keys and credits. */
export const accountMutations: readonly Mutation[] = [
  serving('  assertOwnForm(call);\n', '', 'is refused from another site'),
  calling("site === 'same-origin' : isOwnOrigin", 'true : isOwnOrigin', 'is refused from another site'),
  calling(
    "origin === `${isLocal ? 'http' : 'https'}://${host}`",
    'origin?.endsWith(`://${host}`) && isLocal !== undefined',
    'is refused from another site',
  ),
  calling(" && (site ?? 'same-origin') === 'same-origin'", '', 'is refused from another site'),
  calling(
    "body.length > MAX_BODY_BYTES ? '' : body",
    'body',
    'larger than any of its kind is read as an empty one',
  ),
  serving(
    "if (route.auth === 'session' && person === undefined) return seeOther(call, '/sign-in');",
    '',
    'leads visitors to sign in where it needs a session',
  ),

  limiting(
    '    await wait(STEP_MS * Math.ceil(Math.max(took, 1) / STEP_MS) - took);\n',
    '    void wait, took;\n',
    'is treated by /sign-in like one that has none',
  ),
  signIn(
    "inEvenTime(fx, () => fx.identities.signIn(email, textIn(call, 'password')))",
    "fx.identities.signIn(email, textIn(call, 'password'))",
    'is treated by /sign-in like one that has none',
  ),
  signUp(
    "inEvenTime(fx, () => fx.identities.signUp(known.email, textIn(call, 'password')))",
    "fx.identities.signUp(known.email, textIn(call, 'password'))",
    'is treated by /sign-up like one that has none',
  ),
  password(
    'inEvenTime(fx, () => fx.identities.forgot(email))',
    'fx.identities.forgot(email)',
    'is treated by /forgot like one that has none',
  ),
  password(
    'inEvenTime(fx, () => fx.identities.reset(email, codeIn(call), password))',
    'fx.identities.reset(email, codeIn(call), password)',
    'is treated by /reset like one that has none',
  ),

  limiting("    ['address', call.address],\n", '', '/sign-in refuses the 31st attempt of one network'),
  limiting("    ['email', email],\n", '', 'can be guessed ten times, from however many networks'),
  limiting(
    'if (seconds > 0) throw tooMany(seconds);',
    'void seconds;',
    '/sign-in refuses the 31st attempt of one network',
  ),
  buckets('.slice(0, 4).join', '.join', '/sign-in refuses the 31st attempt of one network'),
  signUp("await draw(fx, call, 'sign-up', email);", '', '/sign-up refuses the 31st attempt of one network'),
  signIn("await draw(fx, call, 'sign-in', email);", '', '/sign-in refuses the 31st attempt of one network'),
  password("await draw(fx, call, 'forgot', email);", '', '/forgot refuses the 31st attempt of one network'),
  password(
    "await draw(fx, call, 'reset', email);",
    '',
    'that resets a password is guessed ten times at most',
  ),
  join("await draw(fx, call, 'join', email);", '', '/join refuses the 31st attempt of one network'),
  confirm(
    "await draw(fx, call, 'confirm', visit.email);\n",
    '',
    'can be guessed ten times, from however many networks',
  ),
  confirm("await draw(fx, call, 'confirm', visit.email);\n", '', 'is mailed again ten times at most'),
  settings(
    'await drawGuess(call);\n        const',
    'const',
    'show whether a password is right ten times at most',
  ),
  settings('await drawGuess(call);\n        if', 'if', 'show whether a password is right ten times at most'),
  playgroundKey(
    "await draw(fx, call, 'playground', call.person.email);",
    '',
    'is made ten times in a quarter of an hour',
  ),

  session('now < after(seenAt, IDLE_MS) && ', '', 'ends after 12 hours without a request'),
  session(' && now < after(createdAt, LIFETIME_MS)', '', 'ends after 12 hours without a request'),
  session(' && generation === person.generation', '', 'that was stolen ends with its own'),
  membership('createdAt >= person.createdAt && ', '', 'has no session, and gets no old one back'),
  keeping('!isOpen(session, person, fx.now())', 'false', 'ends after 12 hours without a request'),
  keeping(
    'await fx.people.endSessions(userId)',
    'await fx.people.find(userId)',
    'continues in the browser that changes the password',
  ),
  signIn(
    "  await closeSession(fx, readCookie(call, 'session'));\n  const cookies",
    '  const cookies',
    'is replaced at each sign-in',
  ),
  password(
    '          await fx.people.endSessions(userId);\n',
    '',
    'that resets a password ends every session',
  ),
  secret("createHash('sha256').update(secret).digest('hex')", 'secret', 'is stored as its hash alone'),
  hashed(
    "createHash('sha256').update(text).digest('hex')",
    "Buffer.from(text).toString('hex')",
    'are stored as their hashes alone',
  ),

  keyPages(
    "if (own === undefined) throw new AppError('not_found', { message: 'There is no such key here.' });",
    '',
    'of another organization can be neither seen nor revoked',
  ),
  rotating(
    '(by.orgId === undefined || old.orgId === by.orgId)',
    "by.orgId !== ''",
    'of another organization is not rotated',
  ),
  members(
    "if (member?.orgId !== orgId) throw new AppError('not_found', { message: NO_MEMBER });",
    'if (!member) return;',
    'a member of another organization can be neither seen',
  ),
  members(
    "if (admin?.orgId !== orgId || admin.role !== 'admin') throw notAdmin();",
    '',
    'cannot change members by sending the forms anyway',
  ),
  removed('  await endPlaygroundKeys(fx, orgId);\n', '', 'ends when its member is removed'),
  lock(
    "if (!isLocked) throw new AppError('busy', { message: LOCKED, retryAfter: 1 });",
    'void isLocked;',
    'stays when both admins leave at once',
  ),
  jobOf(
    'stored?.orgId === orgId && isVisible',
    'stored !== undefined && isVisible',
    'of another organization returns the same 404',
  ),
  csv("typeof value === 'string' && FORMULA.test(value)", "FORMULA.test('')", 'holds the name =1+1 as text'),

  origin(' && origin === webOrigin', '', 'https://evil.example cannot read what it sent for'),
  origin(
    'here.length === 0 || !isAllowed(webOrigin, headers)',
    'here.length === 0',
    'https://evil.example is refused before it sends a key',
  ),
  restriction(
    'allowed === undefined || allowed.includes(route)',
    'allowed !== null',
    'may call its routes only',
  ),
  restriction(
    'allowed && outputsOf(request).find((format) => !allowed.includes(format))',
    'undefined',
    'may request its formats only',
  ),
  responding(
    'if (group) assertRoute(session.restrictions, group);',
    'void group;',
    'may call its routes only',
  ),
  scraping('  assertFormats(restrictions, request);\n', '', 'may request its formats only'),
  submitting('  assertFormats(call.session.restrictions, request);\n', '', 'may request its formats only'),
  scraping('{ credits: held, key, slot:', '{ credits: held, slot:', 'uses no more than its credits a day'),
  working(
    'slot, key: cappedKey(job.keyId, record?.restrictions) };',
    'slot, ...(record && cappedKey && {}) };',
    'fails jobs that would exceed its credits a day',
  ),
  playground("    restrictions: { routes: ['scrape'] },\n", '', 'may do nothing but scrape'),
  playground('expiresAt,\n    forgetAt', 'forgetAt', 'scrapes for ten minutes'),
  expiry(' || (record.expiresAt && record.expiresAt <= now)', '', 'scrapes for ten minutes'),

  cap(
    "if (key && credits > leftToday(usage, key)) return refuse('key_not_allowed', 0, usage);",
    '',
    'is never exceeded by scrapes at the same time',
  ),
  cap(
    '    ...withoutSpent(usage, id, slot.credits - charged),\n',
    '',
    'gets back the credits that a scrape did not use',
  ),
  capWrite(
    "'(attribute_not_exists(spent.#key) OR spent.#key <= :room)'",
    "'(attribute_exists(spent) OR spent.#key <= :room)'",
    'is never exceeded by scrapes at the same time',
  ),
  capWrite(
    "'spent.#key = spent.#key - :unused'",
    "'spent.#key = spent.#key + :unused'",
    'gets back the credits that a scrape did not use',
  ),
  capWrite(
    "'attribute_not_exists(capped.#slot)'",
    "'attribute_exists(pk)'",
    'a process that has not seen the cap of a slot',
  ),
  dayWrite(
    "...(spent === undefined ? [] : ['spent = :empty', 'capped = :empty']),",
    '',
    'starts anew with the day',
  ),
  days(
    'await item.writeMonth(orgId, month, dayKept(day, counts, forgetAt(month)));',
    'void [dayKept, forgetAt];',
    'a finished day moves to the item of its month',
  ),
  days('    await item.write(orgId, dayMoved(day));\n', '', 'a finished day moves to the item of its month'),
  bucketItem(
    "'SET tat = :first, expires_at = :expires'",
    "'SET tat = :first, ends_at = :expires'",
    'a browser leaves one item for each bucket and form',
  ),
];
