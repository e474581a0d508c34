import { type Check, checksOf } from '../harness/check.ts';
import { expectEqual, expectThat } from '../harness/expect.ts';
import { at, listAt, pluck, textAt } from '../harness/json.ts';
import { pathOf } from '../scenarios/endpoint.ts';
import { mainEndpoint } from '../scenarios/endpoints.ts';
import { repeatedRequests } from '../scenarios/repeated-requests.ts';
import { expectStatus } from './problems.ts';

/** What is done once by two equal requests is noted once. */
export const activity: readonly Check[] = [
  ...checksOf(repeatedRequests, {
    'the activity of an endpoint has each change once, newest first, also when it is deleted': (found) => {
      expectStatus(found.activity, 200);
      expectEqual('actions', pluck(found.activity.json, 'action'), [
        'deleted',
        'example_sent',
        'delivery_replayed',
        'secret_rotated',
        'registered',
      ]);
    },
    'an activity names the delivery that it made': ({ activity: read, sent, replayed, registered }) =>
      expectEqual('delivery_id', pluck(read.json, 'delivery_id'), [
        null,
        at(sent.first.json, 'delivery', 'id'),
        at(replayed.first.json, 'delivery', 'id'),
        null,
        at(registered.first.json, 'test_delivery', 'id'),
      ]),
  }),
  ...checksOf(mainEndpoint, {
    'an activity names the credential of its request by an id, which is not secret': async ({ endpoint }, ctx) => {
      const { json } = await ctx.customer.get(`${pathOf(endpoint)}/activity`);
      const [newest] = listAt(json, 'items');
      // The requests of the suite take turns with the keys.
      const id = textAt(newest, 'credential_id');
      expectThat(/^aky_[0-9A-Z]{26}$/.test(id), 'the id of an API key', id);
      expectEqual('requested_by', at(newest, 'requested_by'), 'customer');
    },
  }),
];
