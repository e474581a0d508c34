import { expect, it } from 'vitest';
import { permissionsOf } from './permissions.ts';
import { ShortNames } from './short-names.ts';
import { everyOption, synthesizeStage } from './synthesized-stage.ts';

const permissions = permissionsOf(new ShortNames(await synthesizeStage(everyOption)));

it.each([
  ['a secret of an endpoint', 'webhook_id', ['register-webhook', 'rotate-secret', 'deliver', 'deliver-slow']],
  [
    "an answer that is kept for a customer's request",
    'request_key',
    [
      ...['register-webhook', 'rotate-secret', 'replay-delivery', 'send-example', 'create-bulk-replay'],
      'cancel-bulk-replay',
    ],
  ],
  ['an answer with an API key', 'operator_request_key', ['create-api-key']],
])('no function can decrypt %s, whose context has %s, but %j', (_, member, functions) => {
  const decrypting = permissions.filter(({ kind, actions }) => kind === 'may' && actions.includes('kms:Decrypt'));
  const holders = decrypting
    .filter(({ conditions }) => conditions.includes(`Null kms:EncryptionContext:${member} false`))
    .map(({ holder }) => holder.replace(/^.*\//, ''));

  expect(holders.toSorted()).toEqual(functions.toSorted());
  expect(decrypting.filter(({ conditions }) => conditions.length !== 1)).toEqual([]);
});
