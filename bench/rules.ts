import { convert } from '../shared/output/convert.ts';
import type { ExtractRules } from '../shared/contract/scrape/extract-rules.ts';

const RULES = 50;
const ROUNDS = 7;

const row = (n: number) =>
  `<div class="row r${n}" id="i${n}" data-n="${n}"><h3>Name ${n}</h3><a href="/item/${n}" class="link">Read
  <b>more</b> of item ${n}</a><p class="price">${n}.99 €</p><ul><li>first<li>second</ul></div>`;
/** A megabyte with 70,000 nodes. */
const PAGE = `<body><h1>T</h1><div>${Array.from({ length: 4_800 }, (_, n) => row(n)).join('')}</div></body>`;

const CSS: readonly ((n: number) => string)[] = [
  (n) => `#i${n} a`,
  (n) => `.r${n} a@href`,
  (n) => `div[data-n="${n}"] > p`,
  (n) => `.row:nth-child(${n}) li:last-child`,
];
const XPATH: readonly ((n: number) => string)[] = [
  (n) => `//div[@id='i${n}']/a/@href`,
  (n) => `//div[contains(@class, 'r${n}')]/p`,
  (n) => `/html/body/div/div[${n}]/h3/text()`,
  (n) => `(//p[@class='price'])[${n}]`,
  (n) => `//h3[text()='Name ${n}']/following-sibling::a`,
  (n) => `//h3[normalize-space()='Name ${n}']/../ul/li[last()]`,
];

/** The CPU time that 50 rules take on a page of one megabyte, beside what the page itself takes. */
export function measureRules(): Record<string, object> {
  const rules = (shapes: readonly ((n: number) => string)[]) => rulesOf(shapes, RULES);
  const parse = quickest({ title: 'h1' });
  const figures = (some: ExtractRules) => {
    const ms = quickest(some);
    return { ms: Math.round(ms), 'ms without the page': Math.round(ms - parse) };
  };
  return {
    'the page and one rule': { ms: Math.round(parse), 'ms without the page': 0 },
    '50 rules, CSS': figures(rules(CSS)),
    '50 rules, half XPath': figures({ ...rulesOf(CSS, 25, 'c'), ...rulesOf(XPATH, 25, 'x') }),
    '50 rules, XPath': figures(rules(XPATH)),
  };
}

function rulesOf(shapes: readonly ((n: number) => string)[], count: number, prefix = 'r'): ExtractRules {
  const rule = (n: number) => shapes[n % shapes.length]?.(n * 61 + 2) ?? '';
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, rule(n)]));
}

function quickest(rules: ExtractRules): number {
  const page = { body: Buffer.from(PAGE), contentType: 'text/html', url: 'https://example.com/' };
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.threadCpuUsage();
    const { extractReport } = convert({ ...page, outputs: ['extract'], scope: 'auto', rules });
    if (extractReport?.length !== 0) throw new Error('A rule has found nothing.');
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}
