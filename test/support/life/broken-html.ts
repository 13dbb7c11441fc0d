/** Tags, ends and texts out of which documents are made that only the standard's rules can read. */
const PIECES = [
  ...'p div span b i a em strong u font ul ol li dl dt dd h1 h2 section article form button'
    .split(' ')
    .flatMap((name) => [`<${name}>`, `</${name}>`]),
  ...'table tbody thead tr td th caption colgroup'.split(' ').flatMap((name) => [`<${name}>`, `</${name}>`]),
  ...'svg math mi foreignObject desc template slot ruby rt rp nobr center pre textarea title'
    .split(' ')
    .flatMap((name) => [`<${name}>`, `</${name}>`]),
  ...'head body html frameset noframes noscript style script iframe xmp'
    .split(' ')
    .flatMap((name) => [`<${name}>`, `</${name}>`]),
  ...[
    '<br>',
    '</br>',
    '</p>',
    '<hr>',
    '<img src=x>',
    '<image>',
    '<input type=hidden>',
    '<input>',
    '<col>',
    '<wbr>',
  ],
  ...[
    '<a href="/x">',
    '<p class="one Two">',
    '<div id=main>',
    '<svg viewBox="0 0 1 1">',
    '<td colspan=2>',
    '<b class=x>',
  ],
  ...[
    'text',
    ' ',
    '\n',
    'a &amp; b',
    '&lt;p&gt;',
    '&notit;',
    '&#128;',
    '&nbsp',
    'é',
    '<',
    '</',
    '<!',
    '<?php ?>',
    '\0',
  ],
  ...[
    '<!-- comment -->',
    '<!-- > -->',
    '<!-->',
    '<![CDATA[x]]>',
    '<p a=1 a=2>',
    '<p/>',
    '<P CLASS=Two>',
    '<div\n=x>',
  ],
] as const;

/** A broken document; the same for the same seed. */
export function brokenHtml(seed: number, pieces = 60): string {
  return piecesOf(seed, pieces).join('');
}

export function piecesOf(seed: number, pieces = 60): string[] {
  const random = randomOf(seed);
  const start =
    ['', '<!doctype html>', '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">'][seed % 3] ??
    '';
  return [start, ...Array.from({ length: pieces }, () => PIECES[Math.floor(random() * PIECES.length)] ?? '')];
}

/** https://en.wikipedia.org/wiki/Lehmer_random_number_generator */
function randomOf(seed: number): () => number {
  let state = (seed * 48_271 + 11) % 2_147_483_647;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
