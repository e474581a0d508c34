/** An organization that uses the API. Times are epoch milliseconds. */
export type Customer = {
  readonly id: string;
  /** The operator's name for the customer; no customer sees it. */
  readonly name: string;
  readonly createdAt: number;
};
