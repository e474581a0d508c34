import type { HttpResponse } from '../aws/gateway/gateway-response.ts';

/** The attempt of a delivery that waits for its time, made at once. */
const attemptPath = /^\/local\/deliveries\/(whd_\w+)\/attempt$/;

const nothingWaits = {
  title: 'No attempt of this delivery waits',
  detail: 'It may have just begun, or the delivery has ended.',
};

/**
 * What the local stack serves beside the API, at the same origin, for its pages and for programs of this machine. No
 * deployed stage has it.
 *
 * @param fireNow sends the messages of the schedules whose names begin with a text, and says whether there are any
 */
export function localRoutes(fireNow: (start: string) => boolean) {
  return ({ method, path }: { readonly method: string; readonly path: string }): HttpResponse | null => {
    const deliveryId = attemptPath.exec(path)?.[1];
    if (method !== 'POST' || deliveryId === undefined) return null;
    // The name of a schedule is that of its delivery, with the number of the attempt.
    if (fireNow(`${deliveryId}-`)) return { status: 204, headers: new Map(), body: Buffer.alloc(0) };
    const headers = new Map([['Content-Type', 'application/json']]);
    return { status: 404, headers, body: Buffer.from(JSON.stringify(nothingWaits)) };
  };
}
