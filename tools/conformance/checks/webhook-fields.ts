import { check, type Group } from '../harness/check.ts';
import type { Context } from '../harness/context.ts';
import { at, expectEqual, expectThat, textAt } from '../harness/expect.ts';
import { failedHandshake } from '../scenarios/all-slots-taken.ts';
import { deletion } from '../scenarios/deletion.ts';
import { mainDescription, mainRecords } from '../scenarios/main-endpoint.ts';
import { rotation } from '../scenarios/rotation.ts';
import { field, fieldChecks, isId, isOneOf, isText, isTimestamp, orNull } from './fields.ts';

const needs = ['receiver'] as const;

const fields = [
  field('id', 'a string that begins with whe_', isId('whe_')),
  field('url', 'an https URL', (value) => typeof value === 'string' && value.startsWith('https://')),
  field('status', 'active, failed or deleted', isOneOf('active', 'failed', 'deleted')),
  field('description', 'a string', isText),
  field('secret_prefix', 'a string', (value) => typeof value === 'string' && value.length > 0),
  field('previous_secret_expires_at', 'a timestamp or null', orNull(isTimestamp)),
  field('created_at', 'a timestamp', isTimestamp),
  field('activated_at', 'a timestamp, or null on an endpoint that never was active', orNull(isTimestamp)),
  field('last_delivery_at', 'a timestamp, or null before the first attempt', orNull(isTimestamp)),
];

/** The record from every operation that returns it, in each of its states. */
async function webhooks(ctx: Context): Promise<readonly unknown[]> {
  const [{ endpoint, read, listed }, failed, deleted, rotated] = await Promise.all([
    mainRecords(ctx),
    failedHandshake(ctx),
    deletion(ctx),
    rotation(ctx),
  ]);
  const items = at(listed.json, 'items');
  return [
    at(endpoint.registered.json, 'webhook'),
    read.json,
    ...(Array.isArray(items) ? items : []),
    at(failed.registered.json, 'webhook'),
    failed.read.json,
    deleted.read.json,
    at(rotated.rotated.json, 'webhook'),
  ];
}

export const webhookFields: Group = {
  heading: 'Resources and their fields',
  section: 'Webhook (endpoint)',
  checks: [
    ...fieldChecks('a webhook', fields, needs, webhooks),
    check('a webhook keeps its description unchanged', needs, async (ctx) => {
      const { endpoint, read } = await mainRecords(ctx);
      expectEqual('description', at(endpoint.registered.json, 'webhook', 'description'), mainDescription);
      expectEqual('description', at(read.json, 'description'), mainDescription);
    }),
    check('a webhook shows the URL that it was registered with', needs, async (ctx) => {
      const { endpoint, read } = await mainRecords(ctx);
      expectEqual('url', at(read.json, 'url'), ctx.receiver().urlOf(endpoint.mailbox));
    }),
    check('secret_prefix is the beginning of the current secret', needs, async (ctx) => {
      const { endpoint, rotated, newSecret } = await rotation(ctx);
      const first = textAt(endpoint.registered.json, 'webhook', 'secret_prefix');
      const second = textAt(rotated.json, 'webhook', 'secret_prefix');
      expectThat(endpoint.secret.startsWith(first), 'the beginning of the first secret', first);
      expectThat(newSecret.startsWith(second), 'the beginning of the new secret', second);
    }),
    check('secret_prefix is different for two secrets', needs, async (ctx) => {
      const { endpoint, rotated } = await rotation(ctx);
      const first = at(endpoint.registered.json, 'webhook', 'secret_prefix');
      expectThat(first !== at(rotated.json, 'webhook', 'secret_prefix'), 'another secret_prefix', first);
    }),
    check('secret_prefix is far too short to verify with', needs, async (ctx) => {
      const { endpoint } = await rotation(ctx);
      const prefix = textAt(endpoint.registered.json, 'webhook', 'secret_prefix');
      const hidden = endpoint.secret.length - prefix.length;
      expectThat(hidden >= 24, 'at least 24 characters of the secret not shown', String(hidden));
    }),
    check('a signing secret begins with a fixed prefix', needs, async (ctx) => {
      const { endpoint, newSecret } = await rotation(ctx);
      expectThat(
        /^whsec_.{32,}$/.test(endpoint.secret),
        'whsec_ and the secret',
        endpoint.secret.slice(0, 8),
      );
      expectThat(/^whsec_.{32,}$/.test(newSecret), 'whsec_ and the secret', newSecret.slice(0, 8));
    }),
    check('activated_at is set on an active endpoint', needs, async (ctx) => {
      const { read } = await mainRecords(ctx);
      expectThat(isTimestamp(at(read.json, 'activated_at')), 'a timestamp', read.json);
    }),
    check('activated_at is null on an endpoint that failed its handshake', needs, async (ctx) => {
      const { read } = await failedHandshake(ctx);
      expectEqual('activated_at', at(read.json, 'activated_at'), null);
    }),
    check('last_delivery_at is set after the handshake', needs, async (ctx) => {
      const { read } = await mainRecords(ctx);
      expectThat(isTimestamp(at(read.json, 'last_delivery_at')), 'a timestamp', read.json);
    }),
    check('previous_secret_expires_at is null while no overlap is open', needs, async (ctx) => {
      const { endpoint } = await mainRecords(ctx);
      expectEqual(
        'previous_secret_expires_at',
        at(endpoint.registered.json, 'webhook', 'previous_secret_expires_at'),
        null,
      );
    }),
    check('previous_secret_expires_at is set while an overlap is open', needs, async (ctx) => {
      const { read } = await rotation(ctx);
      expectThat(isTimestamp(at(read.json, 'previous_secret_expires_at')), 'a timestamp', read.json);
    }),
  ],
};
