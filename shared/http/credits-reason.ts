/** Why a response says the `X-Credits-Used` that it does. */
export type CreditsReason =
  /** A page was delivered and charged. */
  | 'page'
  /** A page was delivered, but its target's status is not charged. */
  | 'target_status'
  /** No page came back. */
  | 'no_page'
  /** The request was refused. */
  | 'refused'
  /** The call costs nothing. */
  | 'free';

export const CREDITS_REASON = 'X-Credits-Reason';
