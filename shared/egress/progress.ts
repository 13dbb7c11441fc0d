import type { Socket } from 'node:net';
import type { TimeoutPhase } from '../contract/error-body.ts';
import { portOf, type ProxyTarget, type HostAndPort } from './read-target.ts';

/** How far the last connection to each origin has come. */
export type ConnectProgress = {
  /** The phase begins; with a socket, once it is connected. */
  enter: (target: ProxyTarget, step: 'dns' | 'connect' | Socket) => void;
  phaseOf: (url: string) => TimeoutPhase;
};

/** A page may name any number of hosts. */
const MAX_ORIGINS = 1_000;

/** The progress of one scrape; the oldest origin is forgotten when a page names too many. */
export function openProgress(): ConnectProgress {
  const steps = new Map<string, () => TimeoutPhase>();
  return {
    enter: (target, step) => {
      const [oldest] = steps.keys();
      if (steps.size >= MAX_ORIGINS && oldest !== undefined) steps.delete(oldest);
      const isTunnel = target.path === '';
      // The server's part of the handshake arrives in one flight.
      steps.set(keyOf(target), () => {
        if (typeof step === 'string') return step;
        return isTunnel && step.bytesRead === 0 ? 'tls' : 'first_byte';
      });
    },
    phaseOf: (text) => {
      const url = URL.parse(text);
      return (url && steps.get(keyOf({ host: url.hostname, port: portOf(url) }))?.()) ?? 'connect';
    },
  };
}

const keyOf = ({ host, port }: HostAndPort) => `${host}:${port}`;
