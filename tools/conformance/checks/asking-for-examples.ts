import { type Check, checkOf, checksOf } from '../harness/check.ts';
import { expectEqual } from '../harness/expect.ts';
import { at, expectMembers } from '../harness/json.ts';
import { failedHandshake } from '../scenarios/all-slots-taken.ts';
import { deletion, examples } from '../scenarios/endpoints.ts';
import { expectInvalid, expectNotFound, expectProblem, expectStatus } from './problems.ts';
import { serviceHeader } from './verify.ts';

export const askingForExamples: readonly Check[] = [
  ...checksOf(examples, {
    'a request for an example answers 202 with a pending delivery of webhook.test': ({ sent }) => {
      for (const { accepted, type } of sent) {
        expectStatus(accepted, 202);
        const named = { event_type: 'webhook.test', example_type: type, run_id: null, replay_of: null };
        expectMembers(at(accepted.json, 'delivery'), { ...named, status: 'pending', attempts: 0 });
      }
    },
    'an example arrives inside a webhook.test, and costs nothing': ({ endpoint, sent }) => {
      for (const { post, type } of sent) {
        expectEqual('x-…-event-type', serviceHeader(post, 'event-type'), 'webhook.test');
        expectMembers(post.json, { type: 'webhook.test', webhook_id: endpoint.id, run_id: undefined });
        expectMembers(at(post.json, 'example'), { id: at(post.json, 'id'), type, charge_usd: 0 });
      }
    },
    'an example is delivered like any other delivery': ({ sent }) => {
      for (const { delivered } of sent) expectMembers(delivered, { status: 'delivered', attempts: 1 });
    },
    'an example without a type, or with an unknown one, is refused': ({ empty, unknown }) => {
      expectInvalid(empty);
      expectInvalid(unknown);
    },
    'an example to an endpoint of another customer answers not_found': ({ byOther }) => expectNotFound(byOther),
  }),
  checkOf('no example is sent to a failed endpoint', failedHandshake, ({ example }) =>
    expectProblem(example, 'webhook_not_active'),
  ),
  checkOf('no example is sent to a deleted endpoint', deletion, ({ example }) =>
    expectProblem(example, 'webhook_not_active'),
  ),
];
