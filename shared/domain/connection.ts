/** A user's consent that access tokens act for an organization. Times are epoch milliseconds. */
export type Connection = {
  readonly id: string;
  /** The user, by the token issuer's id. */
  readonly user: string;
  /** The customer that tokens act for; `null` until one is selected. */
  readonly organization: string | null;
  readonly createdAt: number;
  /** When consent was withdrawn or the client disabled; final. */
  readonly revokedAt: number | null;
  /** When the user left the organization; selecting an organization clears it. */
  readonly accessRevokedAt: number | null;
};
