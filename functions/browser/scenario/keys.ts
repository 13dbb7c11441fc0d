export type Key = { key: string; code: string; keyCode: number; text?: string };

const NAMED: Readonly<Record<string, readonly [keyCode: number, text?: string]>> = {
  Backspace: [8],
  Tab: [9],
  Enter: [13, '\r'],
  Shift: [16],
  Control: [17],
  Alt: [18],
  Escape: [27],
  Space: [32, ' '],
  PageUp: [33],
  PageDown: [34],
  End: [35],
  Home: [36],
  ArrowLeft: [37],
  ArrowUp: [38],
  ArrowRight: [39],
  ArrowDown: [40],
  Insert: [45],
  Delete: [46],
  Meta: [91],
  ...Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`F${n + 1}`, [112 + n] as const])),
};

/** As in https://chromedevtools.github.io/devtools-protocol/tot/Input/#method-dispatchKeyEvent */
const MODIFIERS: Readonly<Record<string, number>> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };

/** The physical keys of a US keyboard for characters that are neither letters nor digits. */
const SIGNS: Readonly<Record<string, readonly [code: string, keyCode: number]>> = {
  ' ': ['Space', 32],
  ...signs(';:', 'Semicolon', 186),
  ...signs('=+', 'Equal', 187),
  ...signs(',<', 'Comma', 188),
  ...signs('-_', 'Minus', 189),
  ...signs('.>', 'Period', 190),
  ...signs('/?', 'Slash', 191),
  ...signs('`~', 'Backquote', 192),
  ...signs('[{', 'BracketLeft', 219),
  ...signs('\\|', 'Backslash', 220),
  ...signs(']}', 'BracketRight', 221),
  ...signs('\'"', 'Quote', 222),
};
const SHIFTED_DIGITS = ')!@#$%^&*(';

function signs(both: string, code: string, keyCode: number) {
  return Object.fromEntries(both.split('').map((sign) => [sign, [code, keyCode] as const]));
}

/** The key that types a character or has a name; undefined for characters that a US keyboard lacks. */
export function keyOf(name: string): Key | undefined {
  const named = NAMED[name];
  if (named) {
    const [keyCode, text] = named;
    return { key: name === 'Space' ? ' ' : name, code: name, keyCode, ...(text !== undefined && { text }) };
  }
  if (name.length !== 1) return undefined;
  if (/[a-z]/i.test(name)) {
    const upper = name.toUpperCase();
    return { key: name, code: `Key${upper}`, keyCode: upper.charCodeAt(0), text: name };
  }
  const digit = /\d/.test(name) ? Number(name) : SHIFTED_DIGITS.indexOf(name);
  if (digit >= 0) return { key: name, code: `Digit${digit}`, keyCode: 48 + digit, text: name };
  const sign = SIGNS[name];
  return sign && { key: name, code: sign[0], keyCode: sign[1], text: name };
}

/** `Control+Shift+a` as its keys; undefined if one of them is unknown. */
export function chordOf(name: string): { held: Key[]; modifiers: number; key: Key } | undefined {
  const names = name.split(/(?<=[^+])\+/);
  const last = keyOf(names.at(-1) ?? '');
  const held = names.slice(0, -1).map((each) => (each in MODIFIERS ? keyOf(each) : undefined));
  if (!last || held.includes(undefined)) return undefined;
  const modifiers = names.slice(0, -1).reduce((sum, each) => sum + (MODIFIERS[each] ?? 0), 0);
  return { held: held.filter((key) => key !== undefined), modifiers, key: last };
}
