import type { Account, Registration } from '../api/records.ts';

/** A signing secret that the API showed once, and that the reader has not stored yet. */
export type Unstored = {
  readonly webhookId: string;
  readonly url: string;
  readonly secret: string;
  readonly owner: Account;
  /** The test event of a new endpoint; `null` after a rotation. */
  readonly handshake: Registration['test_delivery'] | null;
};

type UnstoredList = readonly Unstored[];

/** Adds a secret. A newer one of the same endpoint takes the place of the older one. */
export function withSecret(known: UnstoredList, added: Unstored): UnstoredList {
  return [...withoutSecret(known, added.webhookId), added];
}

export function withoutSecret(known: UnstoredList, webhookId: string): UnstoredList {
  return known.filter((unstored) => unstored.webhookId !== webhookId);
}

/** The secret of an endpoint, for its owner alone: another customer may have signed in since. */
export function secretFor(known: UnstoredList, webhookId: string, ownerId: string): Unstored | null {
  return known.find(({ webhookId: id, owner }) => id === webhookId && owner.id === ownerId) ?? null;
}
