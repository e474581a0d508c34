import { type Check, checksOf } from '../harness/check.ts';
import { expectEqual, expectThat } from '../harness/expect.ts';
import { at, expectMembers, pluck, textAt } from '../harness/json.ts';
import { gathered, refusedReplays } from '../scenarios/bulk-replays.ts';
import { expectNotFound, expectPointer, expectStatus } from './problems.ts';

export const bulkReplays: readonly Check[] = [
  ...checksOf(gathered, {
    'a bulk replay answers 202 with what it takes': ({ accepted, source, original }) => {
      expectStatus(accepted, 202);
      expectMembers(accepted.json, { status: 'running', replayed: 0, rate: 10, requested_by: 'customer' });
      const taken = { status: 'delivered', source_webhook_id: source.id, event_type: null, response: null };
      expectMembers(at(accepted.json, 'deliveries'), taken);
      expectEqual('delivery_ids', at(accepted.json, 'deliveries', 'delivery_ids'), [original]);
    },
    'a bulk replay counts how its deliveries ended': ({ job }) => {
      expectMembers(job, { status: 'completed', replayed: 1, skipped: 0 });
      expectEqual('outcomes', at(job, 'outcomes'), { delivered: 1, failed: 0, pending: 0 });
    },
    'an endpoint is sent the event of another one, with the same bytes, and replay_of names the original': ({
      posts,
      post,
      made,
      original,
      source,
    }) => {
      expectThat(posts[0]?.body.equals(post.body) === true, 'the same bytes', 'others');
      expectMembers(made, { replay_of: original, source_webhook_id: source.id, status: 'delivered' });
    },
    'a bulk replay sends an event once, whatever is repeated': ({ again, posts }) => {
      expectMembers(again, { status: 'completed', replayed: 0, skipped: 1 });
      expectEqual('posts', posts.length, 1);
    },
    'to cancel a bulk replay that has ended changes nothing, and is no activity': ({ cancelled, activity }) => {
      expectStatus(cancelled, 200);
      expectMembers(cancelled.json, { status: 'completed', cancel_reason: null });
      const actions = pluck(activity, 'action');
      expectEqual('actions', actions, ['bulk_replay_started', 'bulk_replay_started', 'registered']);
    },
    'a plan counts what a bulk replay would send': ({ plan, otherType, otherWay }) => {
      expectStatus(plan, 200);
      expectMembers(plan.json, { deliveries: 1, complete: true });
      for (const narrow of [otherType, otherWay]) expectMembers(narrow.json, { deliveries: 0 });
    },
  }),
  ...checksOf(refusedReplays, {
    'an unknown member of a bulk replay is refused, and the detail names the nearest known one': ({ misspelt }) => {
      expectPointer(misspelt, '/rate_per_second');
      const detail = textAt(misspelt.json, 'detail');
      expectThat(detail.includes('did you mean `rate`'), 'a detail that names rate', detail);
    },
    'a bulk replay needs a beginning or ids, and at least one id': ({ noBeginning, noIds }) => {
      expectPointer(noBeginning, '/created_after');
      expectPointer(noIds, '/delivery_ids');
    },
    'a delivery that a bulk replay does not find answers not_found': ({ unknownDelivery }) =>
      expectNotFound(unknownDelivery),
    'the endpoint of another customer is no source, as if it did not exist': (found) => {
      const { unknownSource, foreignSource, ids } = found;
      expectNotFound(unknownSource);
      expectNotFound(foreignSource);
      const unknown = textAt(unknownSource.json, 'detail').replace(ids.unknown, ids.foreign);
      expectEqual('detail', textAt(foreignSource.json, 'detail'), unknown);
    },
  }),
];
