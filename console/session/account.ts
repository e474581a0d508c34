import type { Credential } from '../api/records.ts';

/** Whose data a session shows. */
export type Account = {
  readonly id: string;
  /** What readers see: the public name of the customer, or its id when it has none. */
  readonly label: string;
};

export function accountOf({ customer_id: id, customer_name: name }: Credential): Account {
  return { id, label: name ?? id };
}
