import type { Caller } from '../harness/client.ts';
import type { Exchange } from '../harness/exchange.ts';

/** Operations on one endpoint and its deliveries, with ids that do not exist. */
export const endpointOperations = [
  'GET /v1/webhooks/whe_0',
  'DELETE /v1/webhooks/whe_0',
  'POST /v1/webhooks/whe_0/rotate',
  'GET /v1/webhooks/whe_0/stats',
  'GET /v1/webhooks/whe_0/activity',
  'GET /v1/webhooks/whe_0/deliveries',
  'GET /v1/webhooks/whe_0/deliveries/whd_0',
  'POST /v1/webhooks/whe_0/deliveries/whd_0/replay',
  'GET /v1/webhooks/whe_0/replays',
  'GET /v1/webhooks/whe_0/replays/rpl_0',
  'POST /v1/webhooks/whe_0/replays/rpl_0/cancel',
] as const;

/** Operations on one endpoint that need a body. */
export const endpointOperationsWithBody = [
  'POST /v1/webhooks/whe_0/examples',
  'POST /v1/webhooks/whe_0/replays',
  'POST /v1/webhooks/whe_0/replays/plan',
] as const;

/** Operations on one Run or Tracker, with ids that do not exist. */
export const resultOperations = [
  'GET /v1/runs/run_0',
  'GET /v1/runs/run_0/items',
  'GET /v1/trackers/trk_0',
  'GET /v1/trackers/trk_0/changes',
] as const;

/** @param operation a method and a path, as in `GET /v1/runs` */
export function sendTo(caller: Caller, operation: string): Promise<Exchange> {
  const [method = '', path = ''] = operation.split(' ');
  return caller.send(method, path);
}
