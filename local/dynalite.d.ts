declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** An in-memory DynamoDB. Times in milliseconds. */
  export default function dynalite(options?: { createTableMs?: number }): Server;
}
