import * as z from 'zod';
import {
  attemptRecord,
  deliveryRecord,
  deliveryWithLogRecord,
  endpointDeliveryRecord,
} from '#shared/contract/records/delivery.ts';
import { exampleRequest } from '#shared/contract/records/example.ts';
import { maxAttempts } from '#shared/domain/retry-plan.ts';
import { count, described, id, listOf, time } from '../described.ts';
import { schemaPath } from '../json.ts';

export const deliveryReplay = z.object({ delivery: deliveryRecord });
export const sentExample = z.object({ delivery: deliveryRecord });

const deliveryTexts = {
  id: id('delivery', 'The id of the delivery.'),
  event_id: id('event', 'The id of the event: the same on every attempt and replay.'),
  event_type: 'The type of the event.',
  example_type: 'The type of the example that a `webhook.test` event carries; `null` for every other event.',
  status:
    '`pending` until an attempt is acknowledged (`delivered`) or the last one fails (`failed`). A failed delivery is ' +
    'never sent again by itself: replay it.',
  attempts: count(`The number of attempts made, ${maxAttempts} at most; 0 while the delivery is queued.`),
  outcome: 'The result of the last finished attempt; `null` before the first one has ended.',
  response_status: 'The status of the last response; `null` when the last attempt got none.',
  error:
    'Why the last attempt failed and what to do about it, or why nothing was sent; `null` when there is no failure. ' +
    'The wording may change.',
  run_id: id('run', 'The Run of the event; `null` for `webhook.test`.'),
  tracker_id: id('tracker', 'The Tracker that started the Run; `null` when there is none.'),
  change_report_id: id('changeReport', 'The Change Report of `tracker.changed`; otherwise `null`.'),
  replay_of: id('delivery', 'The delivery that this one replays; `null` when it is not a replay.'),
  source_webhook_id: id('webhook', 'The endpoint of `replay_of`, when it is another one; otherwise `null`.'),
  created_at: time('When the delivery was created.'),
  last_attempt_at: time('When the last attempt began; `null` before the first.'),
  delivered_at: time('When an attempt was acknowledged; otherwise `null`.'),
  failed_at: time('When the delivery failed; otherwise `null`.'),
  next_attempt_at: time(
    'When the next attempt is due; `null` while an attempt is in progress or about to begin, and after the last one.',
  ),
};

export const deliverySchemas = {
  Delivery: described(deliveryRecord, 'One event on its way to one endpoint.', deliveryTexts),
  DeliveryList: listOf(deliveryRecord, 'deliveries'),
  EndpointDelivery: described(endpointDeliveryRecord, 'A delivery with the id of its endpoint.', {
    ...deliveryTexts,
    webhook_id: id('webhook', 'The endpoint that the event was sent to.'),
  }),
  EndpointDeliveryList: listOf(endpointDeliveryRecord, 'deliveries'),
  DeliveryDetail: described(deliveryWithLogRecord, 'A delivery with the log of its attempts.', {
    ...deliveryTexts,
    body: {
      description:
        'The exact text of the request body, sent in UTF-8: the same bytes on every attempt and replay. Signatures are ' +
        'computed over these bytes, so verify them before you parse the text.',
      contentMediaType: 'application/json',
      contentSchema: { $ref: schemaPath('Event') },
    },
    request_headers:
      'The headers of the requests of this delivery, in their order, as the service sends them now. Those that ' +
      'belong to the connection are left out: `Host`, `Accept`, `Accept-Encoding`, `Content-Length` and `Connection`.',
    attempt_log: 'The finished attempts, oldest first.',
  }),
  RequestHeader: described(
    deliveryWithLogRecord.shape.request_headers.def.element,
    'A header of the requests of a delivery.',
    {
      name: 'The name of the header.',
      value: 'Its value; `null` when each attempt computes it, from its own time and the secrets that are valid then.',
    },
  ),
  DeliveryReplay: described(deliveryReplay, 'The result of a replay.', {
    delivery: 'The new delivery: `pending`, with the event id and the body of the replayed one.',
  }),
  ExampleRequest: described(exampleRequest, 'The example to send.', {
    type: 'The type of the example.',
  }),
  SentExample: described(sentExample, 'A test event with an example, on its way.', {
    delivery: 'The new delivery: `pending`, of a `webhook.test` event with `example_type`.',
  }),
  Attempt: described(attemptRecord, 'One attempt: one POST to the endpoint.', {
    planned_at: time('When the attempt was planned: at once, or after the wait that follows a failed one.'),
    at: time('When the attempt began.'),
    duration_ms: count('Milliseconds from the start of the attempt to its end.'),
    outcome: 'The result of the attempt. Only `acknowledged` ends the delivery as `delivered`.',
    response_status: 'The status of the response; `null` when none arrived.',
    error: 'Why the attempt failed and what to do about it; `null` when it was acknowledged.',
    repeated:
      'Whether the request was sent twice: the kept connection of the first one ended without a response, so it was sent ' +
      'again on a new one.',
    timings: 'The time of each phase.',
  }),
  AttemptTimings: described(
    attemptRecord.shape.timings,
    'Milliseconds of each phase of an attempt; `null` for a phase that was not reached or not needed.',
    {
      dns_ms: count('The lookup of the host name.'),
      connect_ms: count('The TCP connection; `null` on a reused connection.'),
      tls_ms: count('The TLS handshake; `null` on a reused connection.'),
      first_byte_ms: count('The wait for the first byte of the response.'),
    },
  ),
} as const;
