import { type Check, checksOf } from '../harness/check.ts';
import { type Exchange, headerOf } from '../harness/exchange.ts';
import { expectEqual, expectThat } from '../harness/expect.ts';
import { at, listAt, pluck, textAt } from '../harness/json.ts';
import { repeatedRequests } from '../scenarios/repeated-requests.ts';
import { expectPointer, expectProblem, expectStatus } from './problems.ts';

type Twice = { readonly first: Exchange; readonly again: Exchange };

function expectSame({ first, again }: Twice, status: number): void {
  expectStatus(first, status);
  expectStatus(again, status);
  expectEqual('body', again.text, first.text);
  expectEqual('Idempotency-Replayed', headerOf(again, 'idempotency-replayed'), 'true');
  expectThat(headerOf(first, 'idempotency-replayed') === undefined, 'no such header at first', 'one');
}

export const repeating: readonly Check[] = checksOf(repeatedRequests, {
  'a registration that is repeated with its key gets the same 201, and one endpoint exists': (found) => {
    expectSame(found.registered, 201);
    const same = listAt(found.listed.json, 'items').filter((item) => at(item, 'url') === found.url);
    expectEqual('endpoints', pluck({ items: same }, 'id'), [textAt(found.registered.first.json, 'webhook', 'id')]);
  },
  'a rotation that is repeated with its key gets the same 200 with the same secret': ({ rotated, read }) => {
    expectSame(rotated, 200);
    const secret = textAt(rotated.again.json, 'secret');
    expectThat(secret.startsWith(textAt(read.json, 'secret_prefix')), 'the secret in use', 'another one');
  },
  'a replay and an example that are repeated with their keys are sent once': (found) => {
    expectSame(found.replayed, 202);
    expectSame(found.sent, 202);
    // Of the handshake, its replay and the example. Events of the customer go to the endpoint too.
    const types = pluck(found.deliveries.json, 'event_type');
    expectEqual('test events', types.filter((type) => type === 'webhook.test').length, 3);
  },
  'another request with a key that is taken answers idempotency_key_reused': ({ reused }) =>
    expectProblem(reused, 'idempotency_key_reused'),
  'a key that is too long, or has other characters, is refused': ({ malformed }) => {
    for (const exchange of malformed) expectPointer(exchange, 'Idempotency-Key');
  },
});
