import { expect, it } from 'vitest';
import { claimInput, recordInput, releaseInput } from '#shared/aws/table/attempts.ts';
import { rotationInput } from '#shared/aws/table/endpoints.ts';
import { tableCallName } from '../../../bench/units/table-call-name.ts';

it.each([
  ['GetItem', { Key: { pk: { S: 'KEY#abc' }, sk: { S: 'KEY' } } }, 'GetItem API key'],
  ['PutItem', { Item: { pk: { S: 'DLV#c#w#0' }, sk: { S: 'dlv_1' } } }, 'PutItem Delivery'],
  ['GetItem', { Key: { pk: { S: 'CUS#c' }, sk: { S: 'WEBHOOKS#w' } } }, 'GetItem Endpoint'],
  ['UpdateItem', { Key: { pk: { S: 'CUS#c' }, sk: { S: 'WEBHOOKS' } } }, 'UpdateItem Slots'],
  ['GetItem', { Key: { pk: { S: 'NEW#c' }, sk: { S: 'x' } } }, 'GetItem NEW'],
  [
    'Query',
    { ExpressionAttributeValues: { ':endpoints': { S: 'WEBHOOKS#' }, ':pk': { S: 'CUS#c' } } },
    'Query Endpoint',
  ],
  [
    'Query',
    { IndexName: 'listed', ExpressionAttributeValues: { ':pk': { S: 'RUNS#c#0' } } },
    'Query Run, index listed',
  ],
  [
    'TransactWriteItems',
    {
      TransactItems: [
        { Update: { Key: { pk: { S: 'CUS#c' }, sk: { S: 'WEBHOOKS' } } } },
        { Put: { Item: { pk: { S: 'DLV#c' }, sk: { S: 'd' } } } },
      ],
    },
    'TransactWriteItems Slots + Delivery',
  ],
])('tableCallName() names the kind of items in a call: %s', (action, input, name) => {
  expect(tableCallName(action, input)).toBe(name);
});

const delivery = { customerId: 'c', webhookId: 'w', id: 'dlv_00000000000' };
const entry = {
  at: 0,
  outcome: 'acknowledged',
  responseStatus: 200,
  error: null,
  durationMs: 1,
  timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
} as const;

it.each([
  ['claim', claimInput('t', delivery, 1, { fencingToken: 'f', leaseUntil: 1, latestDue: 1 })],
  ['release', releaseInput('t', delivery, 1, 'f')],
  [
    'record',
    recordInput('t', {
      key: delivery,
      attempt: 1,
      fencingToken: 'f',
      entry,
      transition: { status: 'pending', retryAt: 1 },
    }),
  ],
])('tableCallName() tells the updates of a delivery apart: %s', (purpose, input) => {
  const Key = { pk: { S: 'DLV#c#w#0' }, sk: { S: 'dlv_1' } };

  expect(tableCallName('UpdateItem', { ...input, Key })).toBe(`UpdateItem Delivery, ${purpose}`);
});

it('tableCallName() recognizes the rotation of a secret', () => {
  const Key = { pk: { S: 'CUS#c' }, sk: { S: 'WEBHOOKS#w' } };
  const rotation = {
    customerId: 'c',
    webhookId: 'w',
    secret: 's',
    secretPrefix: 'p',
    at: 1,
    overlapEnd: 2,
  };

  expect(tableCallName('UpdateItem', { ...rotationInput('t', rotation), Key })).toBe(
    'UpdateItem Endpoint, rotate',
  );
});
