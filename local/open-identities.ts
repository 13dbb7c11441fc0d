import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Mail, startIdentities } from './identities.ts';
import type { Listening } from './listen.ts';
import type { Blueprint } from './template/blueprint.ts';

type Options = {
  blueprint: Pick<Blueprint, 'userPoolClients'>;
  /** Where the emulators keep their data. */
  folder: string;
  localDir: string;
  report: (line: string) => void;
};

/** The user pool of the templates. Its mails are shown, and kept in the folder `mail`. */
export async function openIdentities({ blueprint, folder, localDir, report }: Options): Promise<Listening> {
  const [client] = blueprint.userPoolClients;
  if (client === undefined) throw new Error('The templates have no user pool.');
  const mailed = await mailbox(join(localDir, 'mail'), report);
  const { name: clientId, UserPoolId: userPoolId } = client;
  return startIdentities({ folder: join(folder, 'users'), userPoolId, clientId, mailed });
}

async function mailbox(folder: string, report: (line: string) => void) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return async ({ to, subject, text }: Mail) => {
    const name = `${new Date().toISOString().replaceAll(':', '')}-${to.replaceAll(/[^\w.@+-]/g, '_')}.txt`;
    const lines = [`To: ${to}`, `Subject: ${subject}`, '', text, ''];
    await writeFile(join(folder, name), lines.join('\n'), { mode: 0o600 });
    report(`Mail to ${to}: ${text}`);
  };
}
