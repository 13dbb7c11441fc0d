import { Agent } from 'node:http';
import type { Socket } from 'node:net';

/** An agent that has one connection, already open, for one request: nothing is shared or resolved again. */
export function singleUseAgent(socket: Socket): Agent {
  // keepAlive only for the `Connection: keep-alive` that browsers send.
  const agent = new Agent({ keepAlive: true });
  agent.createConnection = () => socket;
  agent.keepSocketAlive = () => false;
  return agent;
}
