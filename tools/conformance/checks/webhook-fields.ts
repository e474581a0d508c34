import { type Check, checkOf, checksOf, collected, groupsOf } from '../harness/check.ts';
import { expectThat } from '../harness/expect.ts';
import { at, expectMembers, listOrNone, textAt } from '../harness/json.ts';
import { failedHandshake } from '../scenarios/all-slots-taken.ts';
import { pathOf } from '../scenarios/endpoint.ts';
import { deletion, mainDescription, mainRecords, rotation } from '../scenarios/endpoints.ts';
import { recovering, replayOfFailed } from '../scenarios/retries.ts';
import { field, fieldChecks, is } from './fields.ts';

const fields = [
  field('id', 'a string that begins with whe_', is.id('whe_')),
  field('url', 'an https URL', (value) => typeof value === 'string' && value.startsWith('https://')),
  field('status', 'active, failed or deleted', is.oneOf('active', 'failed', 'deleted')),
  field('description', 'a string', is.text),
  field('secret_prefix', 'a string', (value) => typeof value === 'string' && value.length > 0),
  field('previous_secret_expires_at', 'a timestamp or null', is.orNull(is.timestamp)),
  field('created_at', 'a timestamp', is.timestamp),
  field('activated_at', 'a timestamp, or null on an endpoint that never was active', is.orNull(is.timestamp)),
  field('last_delivery_at', 'a timestamp, or null before the first attempt', is.orNull(is.timestamp)),
  field('failing_since', 'a timestamp, or null while events arrive', is.orNull(is.timestamp)),
];

/** The record from every operation that returns it, in each of its states. */
const webhooks = collected(['receiver'], async (ctx) => {
  const [{ endpoint, read, listed }, failed, deleted, rotated] = await Promise.all([
    mainRecords(ctx),
    failedHandshake(ctx),
    deletion(ctx),
    rotation(ctx),
  ]);
  return [
    at(endpoint.registered.json, 'webhook'),
    read.json,
    ...listOrNone(listed.json, 'items'),
    at(failed.registered.json, 'webhook'),
    failed.read.json,
    deleted.read.json,
    at(rotated.rotated.json, 'webhook'),
  ];
});

const ofRegistered: readonly Check[] = [
  ...checksOf(mainRecords, {
    'a webhook keeps its description unchanged': ({ endpoint, read }) => {
      expectMembers(at(endpoint.registered.json, 'webhook'), { description: mainDescription });
      expectMembers(read.json, { description: mainDescription });
    },
    'a webhook shows the URL that it was registered with': ({ endpoint, read }, ctx) =>
      expectMembers(read.json, { url: ctx.receiver().urlOf(endpoint.mailbox) }),
  }),
  ...checksOf(rotation, {
    'secret_prefix is the beginning of the current secret': ({ endpoint, rotated, newSecret }) => {
      const first = textAt(endpoint.registered.json, 'webhook', 'secret_prefix');
      const second = textAt(rotated.json, 'webhook', 'secret_prefix');
      expectThat(endpoint.secret.startsWith(first), 'the beginning of the first secret', first);
      expectThat(newSecret.startsWith(second), 'the beginning of the new secret', second);
    },
    'secret_prefix is different for two secrets': ({ endpoint, rotated }) => {
      const first = at(endpoint.registered.json, 'webhook', 'secret_prefix');
      expectThat(first !== at(rotated.json, 'webhook', 'secret_prefix'), 'another secret_prefix', first);
    },
    'secret_prefix is far too short to verify with': ({ endpoint }) => {
      const prefix = textAt(endpoint.registered.json, 'webhook', 'secret_prefix');
      const hidden = endpoint.secret.length - prefix.length;
      expectThat(hidden >= 24, 'at least 24 characters of the secret not shown', String(hidden));
    },
    'a signing secret begins with a fixed prefix': ({ endpoint, newSecret }) => {
      for (const secret of [endpoint.secret, newSecret]) {
        expectThat(/^whsec_.{32,}$/.test(secret), 'whsec_ and the secret', secret.slice(0, 8));
      }
    },
  }),
  checkOf('activated_at is set on an active endpoint', mainRecords, ({ read }) =>
    expectThat(is.timestamp(at(read.json, 'activated_at')), 'a timestamp', read.json),
  ),
  checkOf('activated_at is null on an endpoint that failed its handshake', failedHandshake, ({ read }) =>
    expectMembers(read.json, { activated_at: null }),
  ),
  ...checksOf(mainRecords, {
    'last_delivery_at is set after the handshake': ({ read }) =>
      expectThat(is.timestamp(at(read.json, 'last_delivery_at')), 'a timestamp', read.json),
    'previous_secret_expires_at is null while no overlap is open': ({ endpoint }) =>
      expectMembers(at(endpoint.registered.json, 'webhook'), { previous_secret_expires_at: null }),
  }),
  checkOf('failing_since is null while events arrive', mainRecords, ({ read }) =>
    expectMembers(read.json, { failing_since: null }),
  ),
  checkOf('failing_since is null on an endpoint that failed its handshake', failedHandshake, ({ read }) =>
    expectMembers(read.json, { failing_since: null }),
  ),
  checkOf('failing_since is the end of the delivery that failed', replayOfFailed, ({ before, webhook }) =>
    expectMembers(webhook.json, { failing_since: textAt(before, 'failed_at') }),
  ),
  checkOf('failing_since stays null when a retry is delivered', recovering, async ({ endpoint }, ctx) =>
    expectMembers((await ctx.customer.get(pathOf(endpoint))).json, { failing_since: null }),
  ),
  checkOf('previous_secret_expires_at is set while an overlap is open', rotation, ({ read }) =>
    expectThat(is.timestamp(at(read.json, 'previous_secret_expires_at')), 'a timestamp', read.json),
  ),
];

export const webhookFields = groupsOf('Resources and their fields', {
  'Webhook (endpoint)': [...fieldChecks('a webhook', fields, webhooks), ...ofRegistered],
});
