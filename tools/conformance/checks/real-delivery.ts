import { type Check, checksOf, collected, groupsOf } from '../harness/check.ts';
import { expectEqual } from '../harness/expect.ts';
import { at, expectMembers } from '../harness/json.ts';
import { nth } from '../scenarios/endpoint.ts';
import { publicReceiver } from '../scenarios/public-receiver.ts';
import { expectStatus } from './problems.ts';
import { expectVerified } from './signatures.ts';

const shown = collected(['plain_receiver.inbox_url', 'intake'], publicReceiver);

const checks: readonly Check[] = [
  ...checksOf(publicReceiver, {
    'an event is delivered to a public receiver at the first attempt': ({ delivery }) =>
      expectMembers(delivery, { status: 'delivered', attempts: 1, error: null }),
    'the endpoint of a public receiver can be deleted': ({ deleted }) => expectStatus(deleted, 204),
  }),
  ...checksOf(shown, {
    'what a public receiver gets verifies with the secret of the registration': ({ posts, endpoint }) => {
      for (const post of posts) expectVerified(post, endpoint.secret);
    },
    'a public receiver gets the body that the API shows': ({ posts, delivery }) =>
      expectEqual('body', nth(posts, 1).body.toString('utf8'), at(delivery, 'body')),
  }),
];

/** First, because its event goes to all endpoints of the customer, and some of other checks count what they get. */
export const realDelivery = groupsOf('What the service does', {
  'A real delivery': checks.map((check) => ({ ...check, phase: 'first' as const })),
});
