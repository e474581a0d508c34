/** What a function can ask. Each may be down for a while. */
export const services = ['table', 'queue', 'scheduler', 'kms', 'dns'] as const;
export type Service = (typeof services)[number];

export type Request = {
  readonly service: Service;
  /** For the trace. */
  readonly name: string;
  /** The service does it once, however often the client repeats it: transactions with a request token. */
  readonly once?: boolean;
};

/**
 * One request to a service, and the only way in which an adapter in memory may take time: `effect` is what the
 * service does when the request arrives, at one stroke.
 *
 * @param effect `staleness`: how old an answer may be, in milliseconds, if it need not be consistent
 */
export type Io = <T>(request: Request, effect: (staleness: number) => T) => Promise<T>;

/** Where nothing goes wrong. */
export const immediateIo: Io = async (_request, effect) => effect(0);
