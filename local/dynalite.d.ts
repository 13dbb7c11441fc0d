declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** A DynamoDB in memory, or in the LevelDB folder at `path`. Times in milliseconds. */
  export default function dynalite(options?: { createTableMs?: number; path?: string }): Server;
}
