import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { DatabaseSync } from 'node:sqlite';
import type { BuildAppOptions } from 'fauxqs';

type Stores = Required<BuildAppOptions>['stores'];
type Persistence = NonNullable<Stores['sqsStore']['persistence']>;

type Internals = {
  persistence: { PersistenceManager: new (folder: string) => Persistence };
  'sqs/sqsStore': { SqsStore: new () => Stores['sqsStore'] };
  'sns/snsStore': { SnsStore: new () => Stores['snsStore'] };
  's3/s3Store': { S3Store: new () => Stores['s3Store'] };
};

/**
 * Queues and buckets that SQLite keeps in a folder. `startFauxqs` would do this too, but it listens on every
 * network interface, so its parts are put together here.
 */
export async function keptStores(folder: string): Promise<{ stores: Stores } & Disposable> {
  const [{ PersistenceManager }, { SqsStore }, { SnsStore }, { S3Store }] = await Promise.all([
    internal('persistence'),
    internal('sqs/sqsStore'),
    internal('sns/snsStore'),
    internal('s3/s3Store'),
  ]);
  const stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  const persistence = new PersistenceManager(folder);
  // A killed process loses nothing this way, and no write waits for the disk.
  const database = persistence['db'] as DatabaseSync;
  database.exec('PRAGMA synchronous = NORMAL');
  // Loaded first: a store with persistence would write what it loads, and drop the messages of each queue.
  persistence.load(stores.sqsStore, stores.snsStore, stores.s3Store);
  for (const store of Object.values(stores)) store.persistence = persistence;
  for (const queue of stores.sqsStore.allQueues()) {
    queue.persistence = persistence;
    // Their consumers ended with the last run, so no one else will handle them.
    for (const { message } of queue.inflightMessages.values()) queue.messages.push(message);
    queue.inflightMessages.clear();
  }
  return {
    stores,
    [Symbol.dispose]: () => {
      persistence.close();
    },
  };
}

async function internal<Name extends keyof Internals>(name: Name): Promise<Internals[Name]> {
  // Vitest's global setup, which starts a stack too, has no `import.meta.resolve`.
  const folder = pathToFileURL(findPackageJSON('fauxqs', import.meta.url) ?? '');
  return import(new URL(`dist/${name}.js`, folder).href) as Promise<Internals[Name]>;
}
