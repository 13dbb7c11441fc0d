import type { Hands } from './hands.ts';
import { chordOf, type Key, keyOf } from './keys.ts';
import { StepFailure } from './step-failure.ts';

/** A shortcut does not type its letter. */
const SHORTCUT = 1 | 2 | 4;

/** Presses a key or a chord such as `Control+a`. */
export async function pressKey(hands: Hands, name: string): Promise<void> {
  const chord = chordOf(name);
  if (!chord) throw new StepFailure(`there is no key '${name}'`);
  const { held, modifiers, key } = chord;
  for (const each of held) await down(hands, each, modifiers);
  await down(hands, key, modifiers);
  await up(hands, key, modifiers);
  for (const each of held.toReversed()) await up(hands, each, 0);
}

/** Types a text key by key; characters that a US keyboard lacks are inserted. */
export async function typeText(hands: Hands, text: string): Promise<void> {
  for (const character of text.replaceAll('\r\n', '\n')) {
    const key = keyOf(character === '\n' ? 'Enter' : character === '\t' ? 'Tab' : character);
    if (key) {
      await down(hands, key, 0);
      await up(hands, key, 0);
    } else await insertText(hands, character);
  }
}

/** Inserts text at once where the cursor is, as pasting does. */
export async function insertText({ pace, send }: Hands, text: string): Promise<void> {
  await pace.during(send('Input.insertText', { text }));
}

async function down({ pace, send }: Hands, { keyCode, text, ...key }: Key, modifiers: number): Promise<void> {
  const typed = text !== undefined && (modifiers & SHORTCUT) === 0 ? { text, unmodifiedText: text } : {};
  const type = 'text' in typed ? 'keyDown' : 'rawKeyDown';
  // Chromium's own commands, which a page's shortcuts come before.
  const commands = modifiers === 2 && key.key.toLowerCase() === 'a' ? { commands: ['selectAll'] } : {};
  const event = { type, ...key, ...typed, ...commands, modifiers, windowsVirtualKeyCode: keyCode } as const;
  await pace.during(send('Input.dispatchKeyEvent', event));
}

async function up({ pace, send }: Hands, { key, code, keyCode }: Key, modifiers: number): Promise<void> {
  const event = { type: 'keyUp', key, code, modifiers, windowsVirtualKeyCode: keyCode } as const;
  await pace.during(send('Input.dispatchKeyEvent', event));
}
