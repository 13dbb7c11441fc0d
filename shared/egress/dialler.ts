import type { Socket } from 'node:net';
import { AppError } from '../errors.ts';
import { decide, type EgressPolicy, type EgressDecision } from './decide.ts';
import { dial } from './dial.ts';
import type { ProxyTarget } from './read-target.ts';
import { dialUpstream } from './upstream.ts';

type HostFilter = (host: string) => void;

export type Dialler = {
  /** The addresses of a target that may be dialled. `port` is the guard's own. */
  judge: (target: ProxyTarget, port: number) => Promise<EgressDecision>;
  connect: (target: ProxyTarget, verdict: EgressDecision) => Promise<Socket>;
  /** http, https or socks5 URL with credentials, for later connections. */
  goThrough: (upstreamUrl: string) => void;
  /** Checks the host of every later connection; the filter throws to refuse it. */
  setHostFilter: (filter: HostFilter) => void;
};

export function openDialler(policy: EgressPolicy, signal: AbortSignal): Dialler {
  let { upstreamUrl } = policy;
  let assertAllowed: HostFilter = () => undefined;

  return {
    async judge(target, port) {
      if (!target.isPlain) throw new AppError('url_not_allowed');
      assertAllowed(target.host);
      const verdict = await decide(target.host, target.port, policy, signal);
      if (target.port === port && verdict.addresses.some(isLoopback)) throw new AppError('url_not_allowed');
      return verdict;
    },
    connect: (target, verdict) =>
      upstreamUrl ? dialUpstream(upstreamUrl, target, signal) : dial(verdict, signal),
    goThrough: (url) => void (upstreamUrl = url),
    setHostFilter: (filter) => void (assertAllowed = filter),
  };
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}
