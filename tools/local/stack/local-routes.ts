import type { HttpResponse } from '../aws/gateway/gateway-response.ts';
import type { InvokeResult } from '../aws/lambda/protocol.ts';

/** The attempt of a delivery that waits for its time, made at once. */
const attemptPath = /^\/local\/deliveries\/(whd_\w+)\/attempt$/;

/** `Invoke` of Lambda, for a client whose endpoint is `/local`. */
const invokePath = /^\/local\/2015-03-31\/functions\/([^/]+)\/invocations$/;

const nothingWaits = {
  title: 'No attempt of this delivery waits',
  detail: 'It may have just begun, or the delivery has ended.',
};

type Ports = {
  /** Sends the messages of the schedules whose names begin with a text, and says whether there are any. */
  readonly fireNow: (start: string) => boolean;
  /** Invokes a function of the operator by its name. @returns `null` when there is none */
  readonly invoke: (name: string, event: unknown) => Promise<InvokeResult> | null;
};

/**
 * What the local stack serves beside the API, at the same origin, for its pages and for programs of this machine. No
 * deployed stage has it.
 */
export function localRoutes({ fireNow, invoke }: Ports) {
  return async (request: {
    readonly method: string;
    readonly path: string;
    readonly body: Buffer;
  }): Promise<HttpResponse | null> => {
    if (request.method !== 'POST') return null;
    const name = invokePath.exec(request.path)?.[1];
    if (name !== undefined) return await invocation(invoke, decodeURIComponent(name), request.body);
    const deliveryId = attemptPath.exec(request.path)?.[1];
    if (deliveryId === undefined) return null;
    // The name of a schedule is that of its delivery, with the number of the attempt.
    if (fireNow(`${deliveryId}-`)) return { status: 204, headers: new Map(), body: Buffer.alloc(0) };
    return json(404, nothingWaits);
  };
}

async function invocation(invoke: Ports['invoke'], name: string, body: Buffer): Promise<HttpResponse> {
  const result = await invoke(name, body.length === 0 ? {} : JSON.parse(body.toString()));
  if (result === null) {
    const message = `Function not found: ${name}`;
    return json(404, { Type: 'User', Message: message }, ['X-Amzn-ErrorType', 'ResourceNotFoundException']);
  }
  if (result.ok) return json(200, result.payload);
  const { errorType, errorMessage } = result;
  return json(200, { errorType, errorMessage, trace: [] }, ['X-Amz-Function-Error', 'Unhandled']);
}

function json(status: number, value: unknown, ...more: readonly [name: string, value: string][]): HttpResponse {
  const headers = new Map([['Content-Type', 'application/json'], ...more]);
  return { status, headers, body: Buffer.from(JSON.stringify(value)) };
}
