/**
 * A portal link signs one customer in to the console for a limited time. Its address carries a credential, which is
 * shown once; only its hash is stored. Times are epoch milliseconds.
 */
export type PortalLink = {
  readonly id: string;
  readonly customerId: string;
  /** SHA-256 of the credential, lowercase hex. */
  readonly hash: string;
  readonly createdAt: number;
  /** From this time on, the credential is refused. */
  readonly endsAt: number;
  /** Whether its credential may only read. */
  readonly readOnly: boolean;
  readonly revokedAt: number | null;
};

export function isPortalLinkOpen({ endsAt, revokedAt }: PortalLink, now: number): boolean {
  return revokedAt === null && now < endsAt;
}
