/** Milliseconds before each further try of a POST. */
const pauses = [1_000, 3_000] as const;

export type SendOptions = {
  readonly send?: (request: Request) => Promise<Response>;
  readonly wait?: (milliseconds: number) => Promise<unknown>;
  readonly newKey?: () => string;
};

/**
 * Sends a request. A POST has an `Idempotency-Key`, and is sent again with it when its response was lost, the service
 * failed, or an earlier try is under way: what it asks for is done once. Other requests are sent once.
 *
 * @throws what `send` throws in the last try, or at once when the request was aborted
 */
export async function sendOnce(
  request: Request,
  {
    send = (each) => fetch(each),
    wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    newKey = () => crypto.randomUUID(),
  }: SendOptions = {},
): Promise<Response> {
  if (request.method !== 'POST') return await send(request);
  if (!request.headers.has('Idempotency-Key')) request.headers.set('Idempotency-Key', newKey());
  for (const pause of pauses) {
    const response = await send(request.clone()).catch((error: unknown) => {
      if (request.signal.aborted) throw error;
      return null;
    });
    if (response !== null && !isWorthAnotherTry(response)) return response;
    await wait(pause);
  }
  return await send(request);
}

/** 409 with `Retry-After`: an earlier try is under way. */
export function isWorthAnotherTry({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean {
  return status >= 500 || (status === 409 && headers.has('Retry-After'));
}
