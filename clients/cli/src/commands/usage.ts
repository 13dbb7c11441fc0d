import type { Command } from '../command.ts';

export const usage: Command = {
  usage: 'usage',
  about: 'Prints the credits of this month, and what was used by day.',
  options: { json: { type: 'boolean', about: 'as JSON' } },
  run: async (call) => {
    const client = await call.client();
    const [account, used] = await Promise.all([client.account.get(), client.account.usage()]);
    if (call.values['json'] === true)
      call.out.write(`${JSON.stringify({ account, usage: used }, null, 2)}\n`);
    else {
      const { credits, name, plan } = account;
      call.out.write(`${name} (${plan}): ${JSON.stringify(credits)}\n`);
      for (const line of used.data) call.out.write(`${JSON.stringify(line)}\n`);
    }
    return undefined;
  },
};
