import * as z from 'zod';
import { deliveryRecord } from '#shared/contract/records/delivery.ts';
import type { ServiceEndpoints } from '../../tools/local/aws/lambda/function-environment.ts';
import type { SeededCustomer } from '../../tools/local/stack/stack-file.ts';
import type { Answer, StackCustomer } from '../support/stack/stack-customer.ts';
import { type ApiCall, readingCalls } from './api-calls.ts';
import { type Receivers, receiverPath, type TestEndpoint } from './receivers.ts';
import type { Fault } from './service-switch.ts';

export type OutageName = keyof ServiceEndpoints;

/** An outage of one service, and its permitted effects. */
export type Outage = {
  readonly service: OutageName;
  /** The faults in order, each for an equal part of the time. */
  readonly faults: readonly Fault[];
  /** Whether a worker may fail between counting an attempt and recording it. */
  readonly mayInterrupt?: true;
  /** Whether events for an endpoint whose secret was never decrypted wait, without an attempt, until the outage ends. */
  readonly holdsNewEndpoints?: true;
  readonly calls: (players: Players) => readonly ApiCall[];
};

type Players = {
  readonly endpoints: readonly TestEndpoint[];
  /** A customer whose endpoints are new. */
  readonly newcomer: SeededCustomer;
  readonly receivers: Receivers;
};

export const outages: readonly Outage[] = [
  {
    service: 'dynamodb',
    faults: [{ kind: 'refuse' }, { kind: 'hang' }],
    mayInterrupt: true,
    calls: ({ endpoints }) => readingCalls(endpoints, 'fails'),
  },
  {
    service: 'sqs',
    faults: [{ kind: 'refuse' }, { kind: 'hang' }],
    calls: ({ endpoints }) => mixed(readingCalls(endpoints, 'works'), endpoints.map(replayCall)),
  },
  {
    service: 'scheduler',
    faults: [
      { kind: 'answer', status: 429, code: 'ThrottlingException' },
      { kind: 'answer', status: 500, code: 'InternalServerException' },
      { kind: 'hang' },
      { kind: 'refuse' },
    ],
    calls: ({ endpoints }) => readingCalls(endpoints, 'works'),
  },
  {
    service: 'kms',
    faults: [
      { kind: 'answer', status: 400, code: 'ThrottlingException' },
      { kind: 'answer', status: 500, code: 'KMSInternalException' },
    ],
    holdsNewEndpoints: true,
    calls: (players) => mixed(readingCalls(players.endpoints, 'works'), [registerCall(players)]),
  },
];

/** Adds one of the other calls after each call. */
function mixed(calls: readonly ApiCall[], others: readonly ApiCall[]): readonly ApiCall[] {
  return calls.flatMap((call, index) => {
    const other = others[index % others.length];
    return other === undefined ? [call] : [call, other];
  });
}

const page = z.object({ items: z.array(deliveryRecord) });

/** A replay is stored before it is queued, so it can succeed without the queue, unless the queue hangs. */
function replayCall({ customer, webhookId }: TestEndpoint): ApiCall {
  const make = async (client: StackCustomer): Promise<Answer> => {
    const path = `/v1/webhooks/${webhookId}/deliveries`;
    const listed = await client.request('GET', `${path}?event_type=run.completed`);
    const ended = page.safeParse(listed.body).data?.items.find(({ status }) => status !== 'pending');
    return ended === undefined ? listed : client.request('POST', `${path}/${ended.id}/replay`);
  };
  return { name: 'replay', customer, whileAway: 'either', make };
}

/** Endpoints that are deleted immediately after their registration; an event may occur in between. */
export const isPassing = (path: string): boolean => path.endsWith(passing);
const passing = '-late';

/** Without KMS, a registration cannot encrypt its secret. It must not leave a slot taken: a customer has only five. */
function registerCall({ newcomer, receivers }: Players): ApiCall {
  const url = receivers.origin + receiverPath('prompt', `${newcomer.id}${passing}`);
  const make = async (client: StackCustomer): Promise<Answer> => {
    const answer = await client.request('POST', '/v1/webhooks', { url });
    const made = z.object({ webhook: z.object({ id: z.string() }) }).safeParse(answer.body).data;
    // Frees the slot for the next registration.
    return made === undefined ? answer : client.request('DELETE', `/v1/webhooks/${made.webhook.id}`);
  };
  return { name: 'register', customer: newcomer, whileAway: 'fails', make };
}
