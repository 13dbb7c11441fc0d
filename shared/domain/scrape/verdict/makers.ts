import type { Signs } from './signs.ts';

type Wall = [by: string, isIt: (signs: Signs) => boolean];

const hasFailed = ({ status }: Signs) => status >= 400;
const hasOne = ({ has }: Signs, ...marks: string[]) => marks.some((mark) => has(mark));
/** What F5 and Imperva say to a client without scripts. */
const DEMANDS_SCRIPTS = 'please enable javascript to view the page content';

/** Walls by their makers: what each sends with a challenge or a refusal, and never with a page. */
export const MAKERS: readonly Wall[] = [
  ['cloudflare', (it) => it.header('cf-mitigated') === 'challenge'],
  [
    'cloudflare',
    (it) =>
      it.isSparse &&
      hasOne(
        it,
        '_cf_chl_opt',
        '/cdn-cgi/challenge-platform/h/',
        'cf-chl-widget',
        '__cf_chl_f_tk',
        'chk_captcha',
      ),
  ],
  [
    'cloudflare',
    (it) =>
      hasFailed(it) &&
      hasOne(it, 'cf-error-details', 'cf-wrapper', 'cf-browser-verification') &&
      it.says(
        /you have been blocked|access denied|attention required|checking your browser|rate limited|banned/,
      ),
  ],
  ['cloudflare', (it) => it.status >= 400 && /^error code: 10(?:0[5-9]|1[0-9]|20)$/.test(it.short.trim())],
  ['vercel', (it) => /challenge|deny/.test(it.header('x-vercel-mitigated'))],
  ['vercel', (it) => it.isSparse && it.title === 'vercel security checkpoint'],
  ['datadome', (it) => it.isSparse && it.has('captcha-delivery.com')],
  ['datadome', (it) => it.short.includes('captcha-delivery.com/captcha')],
  ['human', (it) => it.short.includes('"blockscript"') && it.short.includes('"appid":"px')],
  ['datadome', (it) => hasFailed(it) && /^[12]$/.test(it.header('x-dd-b'))],
  [
    'human',
    (it) =>
      it.isSparse &&
      (it.has('px-captcha') || (it.has('_pxappid') && hasOne(it, '/captcha/captcha.js', '_pxaction'))),
  ],
  ['human', (it) => it.isSparse && /^robot or human\??$/.test(it.title)],
  // Its scripts are on pages too: a frame of it, or a page of nothing else, is a wall.
  ['imperva', (it) => it.isSparse && /<iframe[^>]{0,300}_incapsula_resource/.test(it.html)],
  ['imperva', (it) => it.isSparse && hasOne(it, 'onprotectioninitialized', 'reeseskipexpirationcheck')],
  ['imperva', (it) => hasFailed(it) && it.isSparse && it.says(/powered by imperva/)],
  [
    'imperva',
    (it) => it.isSparse && (it.says('incapsula incident id') || it.has('distilidentificationblock')),
  ],
  ['imperva', (it) => it.isSparse && /^pardon our interruption/.test(it.title)],
  [
    'akamai',
    (it) =>
      it.status === 403 &&
      it.isSparse &&
      it.says(/access denied[^]*reference ?#[\d.a-f]+|errors\.edgesuite\.net/),
  ],
  ['akamai', (it) => it.isSparse && hasOne(it, 'sec-if-cpt-container', 'bm-verify=', '/_sec/cp_challenge')],
  ['human', (it) => it.isSparse && /px-(?:cdn|cloud)\.net\/[^"']{0,80}\/captcha\.js/.test(it.html)],
  ['kasada', (it) => it.isSparse && hasOne(it, 'window.kpsdk', 'kpsdk.scriptstart')],
  ['kasada', (it) => hasFailed(it) && it.header('x-kpsdk-ct') !== ''],
  ['aws_waf', (it) => /challenge|captcha/.test(it.header('x-amzn-waf-action'))],
  ['aws_waf', (it) => it.isSparse && hasOne(it, 'window.gokuprops', 'awswafcookiedomainlist')],
  ['aws_waf', (it) => it.isSparse && it.has('.token.awswaf.com/') && it.has('id="challenge-container"')],
  ['aws_waf', (it) => it.isSparse && hasOne(it, '.captcha-sdk.awswaf.com/', '.captcha.awswaf.com/')],
  ['cloudfront', (it) => it.status === 403 && it.says('configured to block access from your country')],
  [
    'cloudfront',
    (it) => it.status === 403 && it.says('the request could not be satisfied') && it.says('request blocked'),
  ],
  [
    'f5',
    (it) => it.isSparse && it.says('the requested url was rejected. please consult with your administrator'),
  ],
  ['f5', (it) => it.isSparse && it.has('window["bobcmn"]')],
  ['f5', (it) => it.has('/tspd/') && (it.words === 0 || it.says(DEMANDS_SCRIPTS))],
  ['sucuri', (it) => it.header('x-sucuri-block') !== '' || (it.isSparse && it.has('sucuri_cloudproxy_js'))],
  ['sucuri', (it) => hasFailed(it) && /sucuri website firewall/.test(it.title)],
  [
    'reblaze',
    (it) => it.isSparse && (it.says('protected by reblaze') || hasOne(it, 'window.rbzns', 'rbzid=')),
  ],
  [
    'radware',
    (it) =>
      it.isSparse &&
      (hasOne(it, 'validate.perfdrive.com') ||
        /^radware (?:bot manager|captcha)|^unauthorized request blocked/.test(it.title)),
  ],
  ['fastly', (it) => it.isSparse && it.title === 'client challenge' && it.has('_fs-ch-')],
  // Not sparse: it explains itself at length.
  ['anubis', (it) => it.has('id="anubis_challenge"')],
  ['anubis', (it) => it.isSparse && it.has('/.within.website/x/cmd/anubis/')],
  ['go_away', (it) => it.isSparse && it.has('/cmd/go-away/')],
  [
    'ddos_guard',
    (it) =>
      it.isSparse && (it.title === 'ddos-guard' || hasOne(it, '/ddos-guard/js-challenge/', 'ddg-l10n-')),
  ],
  ['qrator', (it) => it.isSparse && it.has('/__qrator/')],
  [
    'wordfence',
    (it) => hasFailed(it) && it.says(/generated by wordfence|your access to this site has been limited/),
  ],
  ['mod_security', (it) => hasFailed(it) && it.says('generated by mod_security')],
  ['imunify360', (it) => it.isSparse && it.has('wsidchk')],
  [
    'imunify360',
    (it) => it.isSparse && it.header('server').startsWith('imunify360') && it.has('g-recaptcha'),
  ],
  ['stackpath', (it) => it.isSparse && it.has('/sbbi/?sbbpg=')],
  ['fortiweb', (it) => it.title === 'web page blocked!' && it.says('attack id')],
  [
    'azure_waf',
    (it) => it.status === 403 && it.header('x-azure-ref') !== '' && it.says(/^the request is blocked\.?$/),
  ],
  ['azure_waf', (it) => it.isSparse && it.has('/.azwaf/')],
  ['siteground', (it) => it.isSparse && it.has('/.well-known/sgcaptcha/')],
  ['hostinger', (it) => it.isSparse && it.has('/hcdn-cgi/jschallenge')],
  ['google', (it) => /(?:^|\.)google\.[a-z.]+$/.test(it.host) && it.has('/httpservice/retry/enablejs')],
  ['google', (it) => /(?:^|\.)google\.[a-z.]+$/.test(it.host) && it.path.startsWith('/sorry/')],
  ['amazon', (it) => it.isSparse && hasOne(it, '/errors/validatecaptcha', 'csm-captcha-instrumentation')],
  ['amazon', (it) => hasFailed(it) && it.has('to discuss automated access to amazon data')],
  ['reddit', (it) => hasFailed(it) && it.says(/blocked by network security|whoa there, pardner/)],
  ['reddit', (it) => it.title === 'reddit - please wait for verification'],
  ['linkedin', (it) => it.status === 999],
  ['yandex', (it) => it.isSparse && (it.path.startsWith('/showcaptcha') || it.has('/showcaptcha'))],
  ['yandex', (it) => it.isSparse && it.has('/checkcaptcha')],
  ['baidu', (it) => it.isSparse && it.has('wappass.baidu.com')],
  ['alibaba', (it) => it.isSparse && hasOne(it, 'x5secdata', '/_____tmd_____/punish')],
  ['alibaba', (it) => it.status === 405 && hasOne(it, 'errors.aliyun.com', 'id="block_message"')],
  ['tencent', (it) => hasFailed(it) && it.says('eo-log-uuid')],
  [
    'tencent',
    (it) => it.isSparse && hasOne(it, 'turing.captcha.qcloud.com', 'tencentcaptcha') && !it.has('<form'),
  ],
];
