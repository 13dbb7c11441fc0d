import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { call } from '../page/find.ts';
import type { ScenarioContext } from './scenario-context.ts';
import { actionableElement } from './actionability.ts';
import { StepFailure } from './step-failure.ts';

/** A shortcut does not type its letter. */
const SHORTCUT = 1 | 2 | 4;

export async function press(
  context: ScenarioContext,
  { selector, timeout, key }: StepOf<'press'>,
): Promise<void> {
  if (selector !== undefined) {
    const element = await actionableElement(context, { selector, timeout });
    await call(context, element, 'function () { this.focus(); }');
  }
  await pressKey(context, key);
}

/** Presses a key or a chord such as `Control+a`. */
export async function pressKey(context: ScenarioContext, name: string): Promise<void> {
  const chord = chordOf(name);
  if (!chord) throw new StepFailure(`there is no key '${name}'`);
  const { held, modifiers, key } = chord;
  for (const each of held) await down(context, each, modifiers);
  await down(context, key, modifiers);
  await up(context, key, modifiers);
  for (const each of held.toReversed()) await up(context, each, 0);
}

/** Types a text key by key; characters that a US keyboard lacks are inserted. */
export async function typeText(context: ScenarioContext, text: string): Promise<void> {
  for (const character of text.replaceAll('\r\n', '\n')) {
    const key = keyOf(character === '\n' ? 'Enter' : character === '\t' ? 'Tab' : character);
    if (key) {
      await down(context, key, 0);
      await up(context, key, 0);
    } else await insertText(context, character);
  }
}

/** Inserts text at once where the cursor is, as pasting does. */
export async function insertText({ pageTime, send }: ScenarioContext, text: string): Promise<void> {
  await pageTime.during(send('Input.insertText', { text }));
}

async function down(
  { pageTime, send }: ScenarioContext,
  { keyCode, text, ...key }: Key,
  modifiers: number,
): Promise<void> {
  const typed = text !== undefined && (modifiers & SHORTCUT) === 0 ? { text, unmodifiedText: text } : {};
  const type = 'text' in typed ? 'keyDown' : 'rawKeyDown';
  // Chromium's own commands, which a page's shortcuts come before.
  const commands = modifiers === 2 && key.key.toLowerCase() === 'a' ? { commands: ['selectAll'] } : {};
  const event = { type, ...key, ...typed, ...commands, modifiers, windowsVirtualKeyCode: keyCode } as const;
  await pageTime.during(send('Input.dispatchKeyEvent', event));
}

async function up(
  { pageTime, send }: ScenarioContext,
  { key, code, keyCode }: Key,
  modifiers: number,
): Promise<void> {
  const event = { type: 'keyUp', key, code, modifiers, windowsVirtualKeyCode: keyCode } as const;
  await pageTime.during(send('Input.dispatchKeyEvent', event));
}

type Key = { key: string; code: string; keyCode: number; text?: string };

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
function keyOf(name: string): Key | undefined {
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
function chordOf(name: string): { held: Key[]; modifiers: number; key: Key } | undefined {
  const names = name.split(/(?<=[^+])\+/);
  const last = keyOf(names.at(-1) ?? '');
  const held = names.slice(0, -1).map((each) => (each in MODIFIERS ? keyOf(each) : undefined));
  if (!last || held.includes(undefined)) return undefined;
  const modifiers = names.slice(0, -1).reduce((sum, each) => sum + (MODIFIERS[each] ?? 0), 0);
  return { held: held.filter((key) => key !== undefined), modifiers, key: last };
}
