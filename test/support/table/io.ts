/** The services that a function calls. Each may be down for a while. */
export const services = ['table', 'queue', 'scheduler', 'kms', 'dns'] as const;
export type Service = (typeof services)[number];

export type Request = {
  readonly service: Service;
  /** For traces, and for tests that listen: what is done to which kind of row, such as `update DLV`. */
  readonly name: string;
  /** What the table is asked for. */
  readonly input?: unknown;
};

/**
 * One request to a service. What calls it takes time only here: `effect` is what the service does, atomically,
 * when the request arrives.
 *
 * @param effect `staleness`: how old the answer of an eventually consistent read is, in milliseconds
 */
export type Io = <T>(request: Request, effect: (staleness: number) => T) => Promise<T>;

/** Answers at once, without faults. */
export const immediateIo: Io = async (_request, effect) => effect(0);
