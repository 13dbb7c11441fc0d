/** Who may sign up: anyone, addresses of some domains, people with an invitation, or no one. */
export type SignUpPolicy = 'open' | 'invite' | 'closed' | { domains: readonly string[] };

/** Reads `open`, `invite`, `closed` or `domains:example.com,…`. Undefined for anything else. */
export function parseSignUpPolicy(text: string): SignUpPolicy | undefined {
  if (text === 'open' || text === 'invite' || text === 'closed') return text;
  const listed = /^domains:(.+)$/.exec(text)?.[1]?.toLowerCase() ?? '';
  const domains = listed.split(',').filter(Boolean);
  return domains.length > 0 ? { domains } : undefined;
}

/** Invitations count under every policy but `closed`. */
export function maySignUp(policy: SignUpPolicy, email: string, isInvited: boolean): boolean {
  if (policy === 'closed') return false;
  return isInvited || mayFound(policy, email);
}

/** Whether a user without an invitation gets an organization of their own. */
export function mayFound(policy: SignUpPolicy, email: string): boolean {
  if (typeof policy === 'string') return policy === 'open';
  return policy.domains.includes(email.split('@').at(-1) ?? '');
}
