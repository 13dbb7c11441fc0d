import { createInterface } from 'node:readline/promises';
import { type Call, type Command, textOf } from '../command.ts';
import { clientOf, saveSettings } from '../settings.ts';
import { UsageError } from '../usage-error.ts';

export const login: Command = {
  usage: 'login',
  about: 'Reads a key from stdin, tries it, and keeps it in a file that only you can read.',
  options: { url: { type: 'string', value: 'URL', about: 'the URL of the API; SITEFETCH_URL if absent' } },
  run: async (call) => {
    const { env, err } = call;
    const url = textOf(call, 'url') ?? env['SITEFETCH_URL'];
    if (url === undefined) throw new UsageError('Give the URL of the API as --url, or as SITEFETCH_URL.');
    const key = await keyFrom(call);
    if (key === '') throw new UsageError('There is no key on stdin.');
    const { name } = await clientOf({ url, key }).account.get();
    err.write(`${name}: saved in ${await saveSettings(env, { url, key })}\n`);
    return undefined;
  },
};

/** Never an argument, which other users of the machine and the shell's history would see. */
async function keyFrom({ input, err }: Call): Promise<string> {
  if (input.isTTY) err.write('API key: ');
  const lines = createInterface({ input });
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
  }
}
