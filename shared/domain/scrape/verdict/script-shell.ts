import type { Page } from '../../../contract/scrape/page.ts';
import { type Signs, signsOf } from './signs.ts';
import { decoded, wordsIn } from './visible-words.ts';

/** Words beside which a page that scripts fill has nothing yet. */
const FEW_WORDS = 25;
/** An element for an application, empty or with a placeholder of a few characters. */
const MOUNT =
  /<(?:div|main|section|article|ul|tbody|p|span|output|[a-z]+-[a-z-]+)\b[^>]{0,300}>\s{0,200}(?:<!--[^>]{0,200}-->\s{0,20})?<\//;
const WAITING =
  /aria-busy=["']?true|role=["']?progressbar|<progress\b|class=["'][^"'>]{0,200}(?:skeleton|shimmer|spinner|placeholder|loading|loader)/;
/** A script that shows something. */
const WRITES =
  /\.(?:inner|outer)(?:html|text)\s{0,5}=|\.textcontent\s{0,5}=|\.(?:append|prepend|appendchild|replacechildren|replacewith|insertbefore|insertadjacenthtml|attachshadow)\(|document\.write|createroot|hydrate|\.mount\(|customelements\.define|type=["']?module|location\.(?:replace|assign|href)/;
const SIGNS = [MOUNT, WAITING, WRITES];
const SCRIPT = /<script\b(?![^>]{0,300}type=["']?(?:application|text)\/(?:ld\+)?(?:json|template|x-))/;
/** Data that a framework leaves for its scripts. */
const ISLAND =
  /<script\b[^>]{0,300}(?:application\/json|id=["']?__next_data__)[^>]{0,300}>([^<]{200,})|(?:__(?:nuxt|initial_state|preloaded_state|apollo_state|data|next_f)__?|self\.__next_f\.push)\s{0,5}[=(]([^<]{200,})/g;
/** Text of several words in JSON. */
const SENTENCE = /"([^"\\{}<>]{0,40}[^\s"\\{}<>]+(?: [^\s"\\{}<>/]+){3,})"/g;
const MAX_SENTENCES = 40;

/** What only a person can solve. */
const CAPTCHA =
  /g-recaptcha|recaptcha\/(?:api|enterprise)\.js|h-captcha|hcaptcha\.com|funcaptcha|arkoselabs|geetest/;

/** Whether a bot wall has scripts that let a browser pass by themselves, as far as it shows. */
export function isScriptChallenge(page: Page): boolean {
  const { html } = signsOf(page);
  return SCRIPT.test(html) && !CAPTCHA.test(html);
}

/** Whether HTML is little more than a frame for what its scripts would show. False for more than 300 KB. */
export function isScriptShell(page: Page): boolean {
  const signs = signsOf(page);
  const { html, isSparse, words } = signs;
  if (!isSparse || !SCRIPT.test(html)) return false;
  const unscripted = [...html.matchAll(NOSCRIPT)].map(([, text = '']) => textIn(text)).join(' ');
  // Pages for readers without scripts too, such as forums.
  if (wordsIn(unscripted) > FEW_WORDS * 2) return false;
  // In every language it names them.
  if (words <= FEW_WORDS * 2 && /java\s?script/.test(unscripted)) return true;
  if (words <= FEW_WORDS && SIGNS.some((sign) => sign.test(html))) return true;
  return hasUnseenData(signs);
}

/** What a page says to readers without scripts. */
const NOSCRIPT = /<noscript\b[^>]{0,100}>([\s\S]{0,200000}?)<\/noscript/g;

const textIn = (html: string) =>
  decoded(html.replace(/<(?:style|iframe)\b[\s\S]*?(?:<\/(?:style|iframe)>|$)|<[^>]{0,500}>/g, ' ')).trim();

/** Most sentences of its data are not in sight. */
function hasUnseenData({ html, says }: Signs): boolean {
  const data = [...html.matchAll(ISLAND)].map(([, json, script]) => json ?? script ?? '').join(' ');
  const sentences = [...decoded(data).matchAll(SENTENCE)]
    .slice(0, MAX_SENTENCES)
    .map(([, text = '']) => text.trim());
  const unseen = sentences.filter((text) => !says(text));
  return unseen.length > 1 && unseen.length > sentences.length / 2;
}
