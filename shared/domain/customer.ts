/** An organization that uses the API. Times are epoch milliseconds. */
export type Customer = {
  readonly id: string;
  /** The operator's name for the customer; no customer sees it. */
  readonly name: string;
  /** The name that the customer sees; empty or absent when the operator gave it none. */
  readonly publicName?: string | undefined;
  /** The operator's own id for the customer. No two customers have the same one. */
  readonly reference?: string | undefined;
  /** What the operator keeps beside it, by name; no customer sees it. */
  readonly metadata?: Metadata | undefined;
  readonly createdAt: number;
};

export type Metadata = Readonly<Record<string, string>>;

/**
 * How long a running instance of the intake remembers that a customer exists, in milliseconds. A deletion waits as
 * long before its last pass.
 */
export const customerMemory = 60_000;
