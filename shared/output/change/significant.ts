import { DROPPED_PARAMETERS } from '../../domain/crawls/url-identity.ts';
import { withoutClocks } from './without-clocks.ts';

/**
 * What of a text says something: two texts with the same are the same page. Words stay, and numbers that are
 * no clock, such as prices; addresses lose what is random in them, and pictures of ads go.
 */
export function significant(text: string): string {
  const isIndex = (text.match(/https?:/g) ?? []).length > MAX_ADDRESSES;
  const plain = isIndex ? text : text.replace(PICTURE_LINK, linked).replace(ADDRESS, addressed);
  return withoutClocks(plain.replace(AD_LINE, '').replace(REQUEST_ID, '$<label>#'))
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();
}

/** Bounds the time: each takes some microseconds. */
const MAX_ADDRESSES = 20_000;

/** A picture that is a link: ads look so. */
const PICTURE_LINK = /\[!\[([^[\]\n]{0,300})\]\(([^()\s]{1,9000})\)\]\(([^()\s]{1,9000})\)/g;
const AD_LABEL =
  /^(?:|ads?|advert(?:isement|ising)?|sponsor(?:ed)?|promoted|anzeige|werbung|publicité|publicidad|anuncio|pubblicità|banner)$/i;

/** The sign above an ad, perhaps with its number: `Ad 2 of 5`. */
const AD_LINE =
  /^[ >*_#-]*(?:ads?|advert(?:isement|ising)?s?|sponsored|promoted|anzeige|werbung|publicité|publicidad|pubblicità)[ :#(]*(?:\d+(?: ?(?:of|\/|von|sur|de|di) ?\d+)?\)?)?[ *_]*$/gimu;

function linked(all: string, alt: string, image: string, link: string): string {
  const isElsewhere = siteOf(image) !== siteOf(link) || plainAddress(link, { isImage: false }) === AD;
  return AD_LABEL.test(alt.trim()) && isElsewhere ? '' : all;
}

const siteOf = (url: string) => URL.parse(url)?.host.split('.').slice(-2).join('.');

const ADDRESS = /(!\[[^[\]\n]{0,300}\]\()?\bhttps?:\/\/[^\s<>"'()[\]]{1,9000}/g;

function addressed(all: string, image = ''): string {
  return image + plainAddress(all.slice(image.length), { isImage: image !== '' });
}

/** What names a request or a visit on the page itself. */
const REQUEST_ID =
  /(?<label>(?<!\p{L})(?:(?:request|ray|trace|session|correlation|visit(?:or)?)[\s_-]?id|(?:csrf|xsrf)[\s_-]?(?:token)?|nonce)[\s*_`:=#]{1,8})(?=[\w-]{0,64}\d)[\w-]{6,64}/giu;

/** Parameters of campaigns, clicks and sessions, and more of them in links of pages. */
const TRACKING = new RegExp(
  `^(?:${DROPPED_PARAMETERS.join('|').replaceAll('*', '.*')}|${[
    ...[
      'mtm_.*',
      'matomo_.*',
      'pk_.*',
      'piwik_.*',
      'hsa_.*',
      'vero_.*',
      '_hs.*',
      'gad_.*',
      'ga_.*',
      '_ke',
      'igsh',
    ],
    ...['ysclid', 's_cid', '_openstat', 'spm', 'scm', 'srsltid', 'sess_?id', 'sid'],
  ].join('|')})$`,
  'i',
);
/** Parameters that make every address another one. */
const NONCE =
  /^(?:_|cb|cachebust(?:er)?|cache_?buster|bust(?:er)?|rnd|rand(?:om)?|nonce|_?wpnonce|ts|timestamp|(?:csrf|xsrf)?_?token|_csrf|csrf|authenticity_token|sig(?:nature)?|expires|hmac|x-(?:amz|goog)-.*|key-pair-id|policy|awsaccesskeyid|googleaccessid)$/i;
/** Of images: versions of the same picture. */
const VERSION = /^(?:v|ver|version|rev|t|time|h|hash|m|mtime|build|d)$/i;
const AD_HOST =
  /(?:^|\.)(?:ads?\d*|adserv\w*|adclick\w*|doubleclick|googlesyndication|googleadservices|adnxs|taboola|outbrain|criteo|amazon-adsystem|adform|smartadserver|rubiconproject|pubmatic|openx|teads)\./i;
/** UUIDs, hashes, random letters and digits, and times in seconds or milliseconds. */
const RANDOM =
  /^(?:[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}|(?=[a-fA-F]*\d)(?=\d*[a-fA-F])[\da-fA-F]{16,}|(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=\D*\d)[\da-zA-Z]{16,}|1\d{9}(?:\d{3})?)$/;

const AD = 'ad:';

/** An address without what is another one with every request. */
function plainAddress(text: string, { isImage }: { isImage: boolean }): string {
  const url = URL.parse(text);
  if (!url) return text;
  if (AD_HOST.test(url.host)) return AD;
  const isDropped = (name: string) =>
    TRACKING.test(name) || NONCE.test(name) || (isImage && VERSION.test(name));
  const query = [...url.searchParams]
    .filter(([name, value]) => !isDropped(name) && !RANDOM.test(value))
    .map(([name, value]) => `${name}=${value}`);
  const path = url.pathname.replace(/;jsessionid=[^/]*/i, '').split('/');
  const plain = path.map((part) => (RANDOM.test(part) ? '' : isImage ? withoutHash(part) : part));
  return `${url.origin}${plain.join('/')}?${query.join('&')}${url.hash}`;
}

/** `logo-3f9a1c2b.png` is a version of `logo.png`. */
function withoutHash(file: string): string {
  return file.replace(/[._-](?=[a-f]*\d)(?=\d*[a-f])[\da-f]{8,}(?=\.|$)/gi, '');
}
