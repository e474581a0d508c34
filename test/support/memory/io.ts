/** The services that a function calls. Each may be down for a while. */
export const services = ['table', 'queue', 'scheduler', 'kms', 'dns'] as const;
export type Service = (typeof services)[number];

export type Request<T> = {
  readonly service: Service;
  /** For the trace. */
  readonly name: string;
  readonly transaction?: Transaction<T> | undefined;
};

/**
 * A transaction of the table. A response that is lost within a call costs nothing, because the client repeats it with
 * the same request token.
 */
export type Transaction<T> = {
  /** Named by the caller, so that the token outlives the call; otherwise, each call has its own. */
  readonly token?: string;
  /** What the effect returns unless a condition fails. The table remembers the tokens of transactions that were done. */
  readonly done: T;
  /** What it returns for a token that the table remembers of a transaction with another content. */
  readonly content?: string;
  readonly differs?: T;
};

/**
 * One request to a service. An adapter in memory takes time only here: `effect` is what the service does, atomically,
 * when the request arrives.
 *
 * @param effect `staleness`: how old the answer of an eventually consistent read is, in milliseconds
 */
export type Io = <T>(request: Request<T>, effect: (staleness: number) => T) => Promise<T>;

/** Answers at once, without faults. */
export const immediateIo: Io = async (_request, effect) => effect(0);

export type AskTable = <T>(
  name: string,
  effect: (staleness: number) => T,
  transaction?: Transaction<T>,
) => Promise<T>;

export function askTable(io: Io): AskTable {
  return (name, effect, transaction) => io({ service: 'table', name, transaction }, effect);
}
