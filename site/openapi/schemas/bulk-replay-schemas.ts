import { limits } from '#shared/contract/limits.ts';
import { bulkReplayPlanRecord, bulkReplayRecord, bulkReplayRequest } from '#shared/contract/records/bulk-replay.ts';
import { count, described, id, listOf, time } from '../described.ts';

export const bulkReplaySchemas = {
  BulkReplayRequest: described(bulkReplayRequest, 'Which deliveries to replay, and how fast.', {
    status: '`failed`: deliveries whose last attempt failed. `delivered`: deliveries that were acknowledged.',
    created_after: time(
      'Only deliveries that were created at this time or later. ISO 8601 with a zone; in the past. Required without ' +
        '`delivery_ids`.',
    ),
    created_before: time(
      'Only deliveries that were created before this time, which is not in the future. Default: the time of the request.',
    ),
    source_webhook_id: id(
      'webhook',
      'Whose deliveries to replay: another endpoint of the customer, which may be deleted or failed. Their events are ' +
        'sent to the endpoint of the path. Default: this endpoint.',
    ),
    event_type: 'Only events of this type.',
    response: 'Only deliveries whose last attempt went like this.',
    delivery_ids: {
      description: 'Only these deliveries.',
      items: { type: 'string', ...id('delivery', 'The id of a delivery.') },
    },
    rate: {
      description: `Replays per second, from 1 to ${limits.replayRateMax}. Default: ${limits.replayRateDefault}.`,
      minimum: 1,
      maximum: limits.replayRateMax,
    },
  }),
  BulkReplay: described(
    bulkReplayRecord,
    'A job that replays the deliveries of a time range, oldest first. It can be read until 90 days after its end.',
    {
      id: id('bulkReplay', 'The id of the bulk replay.'),
      webhook_id: id('webhook', 'The endpoint.'),
      status: '`running` until every delivery was replayed (`completed`) or it was stopped (`cancelled`).',
      deliveries: 'Which deliveries it replays.',
      rate: { description: 'Replays per second.', minimum: 1, maximum: limits.operatorReplayRateMax },
      requested_by: 'Who started it.',
      replayed: count(
        'The number of deliveries that it has replayed so far. A step that a failure of the service interrupts is counted ' +
          'a few minutes later, also after a cancellation.',
      ),
      skipped: count(
        'The number of deliveries that it left out, because their event had a replay which was delivered or pending, or ' +
          'was sent with another delivery. A delivery that was replayed once more while a step was interrupted counts ' +
          'here, not in `replayed`.',
      ),
      outcomes:
        'How many of those that it has replayed were `delivered` or `failed`, and how many are `pending`. `null` for a ' +
        'bulk replay from before this was counted, and in a list for those after 20,000 deliveries: read them alone.',
      cancel_reason:
        '`requested` after a cancellation, `webhook_not_active` when the endpoint was deleted; otherwise `null`. Later ' +
        'versions may add reasons.',
      created_at: time('When it was started.'),
      ended_at: time('When it was completed or cancelled; `null` while it runs.'),
    },
  ),
  BulkReplayOutcomes: described(bulkReplayRecord.shape.outcomes.def.innerType, 'How the new deliveries went.', {
    delivered: count('The number of those that were acknowledged.'),
    failed: count('The number of those whose last attempt failed, about an hour after the first.'),
    pending: count('The number of those that have attempts left.'),
  }),
  BulkReplaySelection: described(
    bulkReplayRecord.shape.deliveries,
    'The deliveries that a bulk replay takes, apart from test events and from events that were replayed.',
    {
      status: 'The status of the deliveries.',
      created_after: time('The beginning of the time range: deliveries that were created at this time or later.'),
      created_before: time('The end of the time range: deliveries that were created before this time.'),
      source_webhook_id: id(
        'webhook',
        'The other endpoint whose deliveries are replayed; `null` when they are those of this one.',
      ),
      event_type: 'Only events of this type; `null` for all.',
      response: 'Only deliveries whose last attempt went like this; `null` for all.',
      delivery_ids: {
        description: 'Only these deliveries; `null` for all of the time range.',
        maxItems: limits.replayedDeliveries,
      },
    },
  ),
  BulkReplayList: listOf(bulkReplayRecord, 'bulk replays'),
  BulkReplayPlan: described(bulkReplayPlanRecord, 'What a bulk replay would do now.', {
    deliveries: count('The number of deliveries that it would replay.'),
    already_replayed: count(
      'The number of deliveries that it would leave out, because their event has a replay which was delivered or is ' +
        'pending, or is sent with another delivery.',
    ),
    oldest_created_at: time('When the oldest delivery to replay was created; `null` when there is none.'),
    newest_created_at: time('When the newest delivery to replay was created; `null` when there is none.'),
    seconds: count('How long it would take at the rate of the request.'),
    complete: '`false` when the plan ended before it had read all deliveries: the numbers are then lower bounds.',
  }),
} as const;
