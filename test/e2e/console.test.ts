import { randomBytes } from 'node:crypto';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { describe, expect, inject } from 'vitest';
import * as z from 'zod';
import { scheduleAttempt } from '#shared/aws/attempt-scheduler.ts';
import { isChange, operationNames, routes } from '#shared/contract/routes.ts';
import { makeId } from '#shared/domain/ids.ts';
import { signatureHeader, standardHeaders } from '#shared/domain/signature.ts';
import { makeSigningSecret } from '#shared/domain/signing-secret.ts';
import { localAccess } from '../support/aws/emulators.ts';
import { useBrowser } from '../support/browser/browser.ts';
import {
  storeAttempted,
  storeDay,
  storeEndpoint,
  storeEnds,
  storeFailed,
  storeFailing,
  storeRunning,
  unavailable,
  waitingAt,
} from '../support/browser/console-history.ts';
import type { ConsoleReader } from '../support/browser/console-reader.ts';
import { useConsole } from '../support/browser/console-setup.ts';
import { eventually, only } from '../support/stack/eventually.ts';
import { useOperator, withLink } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { hour, minute } from '../support/values/builders.ts';

const { api_url: apiUrl, endpoints, delivery_queue_url, slow_delivery_queue_url } = inject('stack').info;
const stack = useStack();
const { operate } = useOperator();
const { it, open, signedIn, signedInAsOwner, newOwner } = useConsole(useBrowser(), stack);

const newLink = async (customer: StackCustomer, ...flags: readonly string[]) =>
  withLink.parse(await operate(customer, 'portal-link', '--customer', customer.id, '--minutes', '600', ...flags));

const given = ({ id: customerId }: StackCustomer) => ({ table: stack.table(), customerId, now: Date.now() });

const url = 'https://hooks.northwind.example/runs';

/** Does something that the API does and whose response is lost, and waits until the console gives up. */
async function losingResponses(reader: ConsoleReader, act: () => Promise<void>, failure: string): Promise<void> {
  const { page } = reader;
  await page.route('**/v1/**', async (route) => {
    if (route.request().method() !== 'POST') return await route.continue();
    await route.fetch();
    await route.abort('connectionreset');
  });
  await act();
  await eventually(async () => {
    await reader.pass(3_000);
    expect(await page.getByText(failure).count()).toBe(1);
  });
  await page.unroute('**/v1/**');
}

/** Stores a Run with videos, and a Tracker with a Change Report, while the customer has no endpoint. */
async function storeResults(customer: StackCustomer) {
  const run = makeId('run', Date.now(), randomBytes(10));
  const tracker = makeId('tracker', Date.now(), randomBytes(10));
  const own = { customer: customer.id };
  await customer.emit('run.items_saved', { ...own, run, count: 6 });
  await customer.emit('run.settled', { ...own, run, status: 'partial' });
  await customer.emit('tracker.saved', { ...own, tracker });
  await customer.emit('change_report.written', { ...own, tracker });
  await customer.stored(`/v1/runs/${run}/items`, `/v1/trackers/${tracker}`);
  const changes = () => customer.request('GET', `/v1/trackers/${tracker}/changes`);
  await eventually(async () => expect(JSON.stringify(await changes())).toContain('chg_'), {
    interval: 2_000,
  });
  return { run, tracker };
}

const limitProblem = {
  type: `${apiUrl}/docs/errors/rate_limit_exceeded`,
  title: 'Too many requests',
  status: 429,
  code: 'rate_limit_exceeded',
};
/**
 * Without RateLimit, only Retry-After says how long. The service's own limit would end while a busy machine looks.
 */
const refusal = { status: 429, headers: { 'Retry-After': '3000' }, body: JSON.stringify(limitProblem) };

/** A delivery whose second attempt waits longer than a test, also at the time scale of the stack. @returns its id */
async function storeWaiting(customer: StackCustomer, webhookId: string): Promise<string> {
  const id = await storeAttempted(given(customer), waitingAt(webhookId));
  const client = new SchedulerClient({ ...localAccess, endpoint: endpoints.scheduler });
  const roleArn = 'arn:aws:iam::000000000000:role/scheduler';
  const queueUrls = { ordinary: delivery_queue_url, slow: slow_delivery_queue_url };
  const due = { key: { customerId: customer.id, webhookId, id }, attempt: 2 };
  const schedule = scheduleAttempt(client, { group: 'default', roleArn, queueUrls }, Date.now);
  await schedule(due, Date.now() + 300 * 24 * hour, 'ordinary').finally(() => client.destroy());
  return id;
}

/** The link to the view of an endpoint. */
const link = ({ page }: ConsoleReader, id: string) => page.locator(`a[href="#/endpoints/${id}"]`);

/** The type of the example in an event that a receiver got. */
const exampleType = ({ body }: { readonly body: Buffer }) =>
  z.object({ example: z.object({ type: z.string() }).optional() }).parse(JSON.parse(body.toString())).example?.type;

const markup = `<img src=x onerror="window.hostile=1"><script>window.hostile=1</script>&lt;b&gt;`;
/** Ends with a control that reverses the text that follows it, and is never closed. */
const hostile = `${markup}\u2066\u202e`;
/** As long as a URL may be. */
const longUrl = `https://hooks.example.com/${markup.replaceAll(' ', '%20')}`.padEnd(2_048, 'w');

/**
 * Something happens between the request and the response of a refresh of the deliveries. The response has another type
 * for its newest event, so that the page shows when it has it.
 */
async function duringRefresh(reader: ConsoleReader, act: () => Promise<void>): Promise<void> {
  const { page } = reader;
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const isRefresh = ({ pathname, search }: URL) => pathname.endsWith('/v1/deliveries') && search === '';
  await page.route(isRefresh, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(/"event_type":"[^"]*"/, '"event_type":"refreshed"');
    begun.resolve();
    await released.promise;
    await route.fulfill({ response, body });
  });
  await reader.pass(minute);
  await begun.promise;
  await act();
  released.resolve();
  await reader.text('refreshed').waitFor();
  await page.unroute(isRefresh);
}

/** What the browser keeps of the session: the storage of the tab, that of the origin, and cookies. */
const kept = (reader: ConsoleReader) =>
  reader.page.evaluate('JSON.stringify([sessionStorage, localStorage, document.cookie])');
const nothing = '[{},{},""]';

describe('the console in a browser', { concurrent: true }, () => {
  describe('signing in', () => {
    it('a key is kept in memory only, unless the reader asks for the tab, and is gone after signing out', async () => {
      const customer = await stack.newCustomer();
      const reader = await open([customer.apiKey], [401]);
      const { page } = reader;
      await reader.load();

      await reader.signIn('key_wrong');
      await page.getByRole('alert').filter({ hasText: 'This key or link is not known' }).waitFor();
      const field = page.getByLabel('API key or access token');
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await field.getAttribute('aria-describedby')).toBe('sign-in-failure');
      await reader.signIn(customer.apiKey);
      await reader.title('Endpoints');
      expect(await kept(reader)).toBe(nothing);
      await page.reload();
      await reader.signIn(customer.apiKey, { kept: true });
      await reader.title('Endpoints');
      await reader.follow('runs', 'Runs');
      await page.reload();
      await reader.title('Runs');
      await reader.button('Sign out').click();
      await reader.title('Sign in');

      await reader.look('sign-in');
      expect(await kept(reader)).toBe(nothing);
    });

    it('a portal link leaves the address and the history at once, stays over a reload, and ends when it is revoked', async () => {
      const customer = await stack.newCustomer();
      const { id, url } = await newLink(customer);
      const [, token = ''] = url.split('#token=');
      const reader = await open([token], [401]);
      const { page } = reader;

      await page.goto('about:blank');
      await page.goto(url);
      await reader.title('Endpoints');
      expect(page.url()).toBe(`${apiUrl}/console`);
      expect(await reader.history()).toEqual(['about:blank', `${apiUrl}/console`]);
      await reader.text('Customer of a test').waitFor();
      await reader.text(/link expires in 9 h/).waitFor();
      await page.reload();
      await reader.title('Endpoints');
      await operate(customer, 'portal-link', 'revoke', id, '--customer', customer.id, '--yes');
      await reader.pass(minute);
      await reader.title('Sign in');

      await reader.text('You were signed out').waitFor();
      expect(await kept(reader)).toBe(nothing);
      await page.reload();
      await reader.title('Sign in');
    });

    it('a link with a destination opens it at once, and the activity there says who did what', async () => {
      const customer = await stack.newCustomer();
      const { webhook } = await customer.register(customer.receiver('activity'));
      await operate(customer, 'webhooks', 'example', 'run.completed', '--endpoint', webhook.id);
      const { url } = await newLink(customer, '--to', `/endpoints/${webhook.id}`);
      const [, token = ''] = /#token=([^&]+)&/.exec(url) ?? [];
      const reader = await open([token]);
      const { page } = reader;

      await page.goto(url);
      await reader.title('Endpoint');
      expect(page.url()).toBe(`${apiUrl}/console#/endpoints/${webhook.id}`);
      const rows = page.getByRole('region', { name: 'Activity' }).getByRole('listitem');
      await rows.first().waitFor();
      expect(await rows.allTextContents()).toEqual([
        expect.stringMatching(/^Example sent by the operator/),
        expect.stringMatching(/^Registered by API key aky_\w+/),
      ]);
      await reader.look('activity');
      await rows.first().getByRole('link', { name: 'Example sent' }).click();
      await reader.title('Delivery');
    });

    it('a link to another account asks before it replaces the session, and an API key in an address is refused', async () => {
      const [customer, other] = [await stack.newCustomer('Acme'), await stack.newCustomer('Other')];
      const [, token = ''] = (await newLink(other)).url.split('#token=');
      const reader = await signedIn(customer, 'runs');
      const { page } = reader;
      const dialog = page.getByRole('dialog');
      const account = () => page.locator('.caller bdi').textContent();
      await reader.title('Runs');

      await page.evaluate(`location.hash = '#token=${token}'`);
      await dialog.getByText('Leave Acme and open Other?').waitFor();
      await dialog.getByRole('button', { name: 'Stay' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect([page.url(), await account()]).toEqual([`${apiUrl}/console#/runs`, 'Acme']);
      await page.evaluate(`location.hash = '#token=${other.apiKey}'`);
      await dialog.getByText('This link contains an API key').waitFor();
      await reader.look('link-refused');
      await dialog.getByRole('button', { name: 'OK' }).click();
      expect(await account()).toBe('Acme');
      await page.evaluate(`location.hash = '#token=${token}'`);
      await dialog.getByRole('button', { name: 'Open' }).click();
      await reader.title('Endpoints');

      expect(await account()).toBe('Other');
    });

    it('a link that can only read shows everything and changes nothing, in the console and in the API', async () => {
      const { customer, owned } = await newOwner();
      const active = await storeEndpoint(owned, { url });
      const [failed = ''] = await storeFailed(owned, active, 1);
      const pending = await storeAttempted(owned, waitingAt(active));
      const link = await newLink(customer, '--read-only');
      const [, token = ''] = link.url.split('#token=');
      const reader = await open([token]);
      const { page } = reader;
      const buttons = async () => await page.locator('main').getByRole('button').allTextContents();

      await page.goto(link.url);
      await reader.title('Endpoints');
      await reader.text('This link can only read').waitFor();
      expect(await page.getByRole('link', { name: 'Register an endpoint' }).count()).toBe(0);
      await reader.look('read-only');
      await reader.follow(`endpoints/${active}`, 'Endpoint');
      await reader.text('Registered').waitFor();
      expect((await buttons()).filter((label) => label !== 'Copy')).toEqual(['Last hour', '24 hours', '7 days']);
      await reader.follow(`endpoints/${active}/deliveries/${failed}`, 'Delivery');
      expect(await reader.button('Resend').count()).toBe(0);
      await reader.follow(`endpoints/${active}/deliveries/${pending}`, 'Delivery');
      await reader.text(/^Next attempt in/).waitFor();
      expect(await reader.button('Attempt now').count()).toBe(0);
      await reader.follow(`deliveries?webhook=${active}&status=failed`, 'Deliveries');
      await page.locator('.deliveries > li').first().waitFor();
      expect(await page.getByRole('checkbox').count()).toBe(0);
      await reader.follow('endpoints/new', 'This needs another link');

      const bearer = new Headers({ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' });
      for (const name of operationNames.filter(isChange)) {
        const { method, path } = routes[name];
        const target = path.replace('{id}', active).replace('{deliveryId}', failed).replace('{replayId}', 'rpl_1');
        const response = await fetch(`${apiUrl}${target}`, { method, headers: bearer, body: '{}' });
        expect([name, response.status, await response.json()]).toEqual([
          name,
          403,
          expect.objectContaining({ code: 'portal_link_read_only' }),
        ]);
      }
    });

    it('a view opened in a new tab is signed in there, and signing out there signs out here', async () => {
      const customer = await stack.newCustomer();
      const reader = await signedIn(customer);
      await reader.title('Endpoints');

      const tab = await reader.newTab(() =>
        reader.page.getByRole('link', { name: 'Runs' }).click({ modifiers: ['Control'] }),
      );
      await tab.title('Runs');
      expect(await kept(tab)).toBe(nothing);
      await tab.button('Sign out').click();
      await tab.title('Sign in');
      await reader.title('Sign in');

      await reader.text('You signed out in another tab.').waitFor();
    });
  });

  describe('endpoints', () => {
    it('a refused registration says why at its field, and a failed one why and which slot it holds, also after Back', async () => {
      const customer = await stack.newCustomer();
      const reader = await signedIn(customer, 'endpoints/new', 400);
      const { page } = reader;
      const url = page.getByLabel('URL');

      await reader.title('Register an endpoint');
      await reader.look('endpoint-new');
      await url.fill('http://hooks.example.com/runs');
      await reader.button('Register').click();
      await page.getByText('The URL must use https.').waitFor();
      await reader.look('endpoint-refused');
      await page.getByRole('link', { name: 'Runs' }).click();
      await reader.title('Runs');
      await page.goBack();
      await reader.title('Register an endpoint');
      expect(await url.inputValue()).toBe('http://hooks.example.com/runs');
      expect(await url.getAttribute('aria-invalid')).toBe('true');
      const described = page.locator(`[id="${await url.getAttribute('aria-describedby')}"]`);
      expect(await described.textContent()).toBe('The URL must use https.');
      expect(await page.getByText(/The URL must use https/).count()).toBe(1);

      await url.fill(customer.receiver('hooks', '?handshake=500'));
      await page.getByLabel('Description').fill('Production');
      await reader.button('Register').click();
      await reader.title('Endpoint');
      await reader.text('The receiver responded with status 500').waitFor();
      await page.getByRole('link', { name: 'See the attempt' }).click();
      await reader.title('Delivery');
      await page.goBack();
      await reader.title('Endpoint');
      await reader.text('This endpoint holds one of your 5 slots until you delete it').waitFor();
      await reader.text('The endpoint is not active, so no example can be sent to it').waitFor();
      await reader.look('endpoint-failed');
      // A refresh reads the deletion before the response to it is here.
      await page.route('**/v1/webhooks/whe_*', async (route) => {
        const response = await route.fetch();
        if (route.request().method() === 'DELETE') {
          await reader.pass(minute);
          await reader.text('This endpoint was deleted').waitFor();
        }
        await route.fulfill({ response });
      });
      await reader.button('Delete it and try again').click();
      await reader.title('Register an endpoint');

      expect(await page.getByLabel('Description').inputValue()).toBe('Production');
      expect(await customer.webhooks()).toEqual([]);
    });

    it('a new secret stays in the tab until the reader has stored it, and leaving or signing out asks first', async () => {
      const customer = await stack.newCustomer();
      const reader = await signedIn(customer, 'endpoints/new', 401);
      const { page } = reader;
      const shown = page.locator('.secret pre');
      await page.getByLabel('URL').fill(customer.receiver('hooks'));
      await reader.button('Register').click();
      const secret = (await shown.textContent()) ?? '';
      expect(secret).toMatch(/^whsec_.{40,}$/);
      await reader.text('Account: Customer of a test').waitFor();
      await reader.look('endpoint-registered');

      // A link and Back do not lose it, and only the view of its endpoint shows it.
      await page.getByRole('link', { name: 'See the test delivery' }).click();
      await reader.title('Delivery');
      expect(await page.content()).not.toContain(secret);
      await reader.look('secret-not-stored');
      await page.goBack();
      expect(await shown.textContent()).toBe(secret);
      // Neither does the end of the session.
      await page.route('**/v1/runs', (route) => route.fulfill({ status: 401, body: '{}' }));
      await reader.follow('runs', 'Sign in');
      await reader.text('Sign in to Customer of a test in this tab to see it').waitFor();
      expect(await page.content()).not.toContain(secret);
      await page.unroute('**/v1/runs');
      await reader.signIn(customer.apiKey);
      await page.getByRole('link', { name: 'Show the secret' }).click();
      expect(await shown.textContent()).toBe(secret);
      const question = page.waitForEvent('dialog');
      await page.evaluate('void setTimeout(() => location.reload())');
      expect((await question).type()).toBe('beforeunload');
      await (await question).dismiss();
      await reader.button('Sign out').click();
      await page.getByRole('dialog').waitFor();
      await reader.look('sign-out');
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      expect(await shown.textContent()).toBe(secret);
      expect(await kept(reader)).toBe(nothing);

      await reader.button('I have stored it').click();
      await shown.waitFor({ state: 'detached' });
      await expect.poll(() => reader.focused()).toBe('Endpoint');
      expect(await page.content()).not.toContain(secret);
      await reader.button('Sign out').click();
      await reader.title('Sign in');
    });

    it('a registration and a rotation whose responses are lost are done once, and repeating them shows the secret', async () => {
      const customer = await stack.newCustomer();
      const reader = await signedIn(customer, 'endpoints/new', 0);
      const { page } = reader;
      const shown = page.locator('.secret pre');
      const dialog = page.getByRole('dialog');
      const inDialog = (name: string) => dialog.getByRole('button', { name }).click();
      const lost = async (act: () => Promise<void>, failure: string) => {
        await losingResponses(reader, act, failure);
        await reader.text('Repeat it here: it is done once').waitFor();
      };
      const register = () => reader.button('Register').click();
      await page.getByLabel('URL').fill(customer.receiver('hooks'));
      await lost(register, 'Could not register the endpoint');
      await register();
      const secret = await shown.textContent();
      expect(await customer.webhooks()).toMatchObject([{ status: 'active', secret_prefix: secret?.slice(0, 12) }]);
      await reader.button('I have stored it').click();

      await reader.button('Rotate the secret').click();
      await lost(() => inDialog('Rotate'), 'Rotate did not work');
      // By now, the page has read that the old secret ends.
      await reader.text(/valid for 23:\d\d:\d\d more/).waitFor();
      await inDialog('Cancel');
      await reader.button('Rotate the secret').click();
      await inDialog('Rotate');
      await shown.getByText(/^whsec_/).waitFor();
      const [{ secret_prefix: prefix } = { secret_prefix: '' }] = await customer.webhooks();
      expect(prefix).not.toBe(secret?.slice(0, 12));
      expect((await shown.textContent())?.slice(0, 12)).toBe(prefix);
      expect(await reader.button('Rotate the secret').count()).toBe(0);

      // After a deletion, the same form registers another endpoint.
      const remove = async () => {
        await reader.button('Delete').click();
        await dialog.getByRole('textbox').fill(new URL(customer.receiver('hooks')).host);
        await inDialog('Delete');
        await reader.text('No endpoints yet').waitFor();
        await reader.follow('endpoints/new', 'Register an endpoint');
      };
      await remove();
      await page.getByLabel('URL').fill(customer.receiver('hooks'));
      await lost(register, 'Could not register the endpoint');
      await reader.follow('endpoints', 'Endpoints');
      await page.locator('.rows a').click();
      await reader.title('Endpoint');
      await remove();
      await register();
      await reader.title('Endpoint');
      expect(await customer.webhooks()).toMatchObject([{ status: 'active', secret_prefix: expect.any(String) }]);
    });

    it('a registration leads to an example, and one that is refused to what a firewall must allow', async () => {
      const customer = await stack.newCustomer();
      const reader = await signedIn(customer, 'endpoints/new');
      const { page } = reader;
      const next = reader.text('Next, send it an example event');
      await page.getByLabel('URL').fill(customer.receiver('hooks', '?status=403'));
      await reader.button('Register').click();
      await next.waitFor();
      await reader.look('endpoint-next-step');
      await reader.button('Choose an example').click();
      await page.locator('.test-event select:focus').waitFor();
      await reader.button('Send').click();
      await reader.text('No attempt yet').waitFor();
      await eventually(async () => {
        await reader.pass(1_000);
        expect(await page.getByText('The receiver responded with status 403').count()).toBe(1);
      });
      const allow = page.getByRole('link', { name: 'What a firewall must allow' });
      expect(await allow.getAttribute('href')).toBe('docs/troubleshooting#a-firewall-refuses-events');
      await page.getByRole('link', { name: 'See the delivery' }).click();
      await reader.title('Delivery');
      await allow.waitFor();
      await page.goBack();
      await reader.title('Endpoint');
      expect(await next.count()).toBe(0);
      await page.getByRole('link', { name: 'See the test delivery' }).click();
      await reader.text('Your receiver acknowledged the first attempt').waitFor();

      expect(await allow.count()).toBe(0);
    });

    it('a secret is rotated, examples and the test event sent, and the endpoint deleted by its name', async () => {
      const customer = await stack.newCustomer();
      const { webhook } = await customer.register(customer.receiver('hooks'));
      const reader = await signedIn(customer, `endpoints/${webhook.id}`, 503);
      const { page } = reader;
      const dialog = page.getByRole('dialog');

      await reader.title('Endpoint');
      await reader.look('endpoint');
      await reader.button('Rotate the secret').click();
      await dialog.getByRole('button', { name: 'Rotate' }).click();
      const secret = (await page.locator('.secret pre').textContent()) ?? '';
      await reader.text(/valid for 23:\d\d:\d\d more/).waitFor();
      await reader.button('I have stored it').click();
      const choice = page.getByLabel('What to send');
      const send = async (kind: string) => {
        await choice.selectOption(kind);
        await reader.button('Send').click();
        await reader.text('No attempt yet').waitFor();
      };
      for (const kind of ['run.completed', 'tracker.changed']) {
        await send(kind);
        await eventually(async () => {
          await reader.pass(1_000);
          expect(await page.getByText(/^Answered with 200/).count()).toBe(1);
        });
      }
      // The last one is sent, too, although nobody can say with which result.
      await page.route(/\/deliveries\/whd_\w+$/, (route) => route.fulfill({ status: 503 }));
      await send('webhook.test');
      await eventually(async () => {
        await reader.pass(1_000);
        expect(await reader.button('Send').textContent()).toBe('Send');
      });
      expect(await page.getByText('Could not send').count()).toBe(0);
      const activity = page.getByRole('region', { name: 'Activity' }).getByRole('listitem');
      await expect
        .poll(async () => (await activity.allTextContents()).map((text) => text.split(' by ')[0]))
        .toEqual(['Delivery resent', 'Example sent', 'Example sent', 'Secret rotated', 'Registered']);
      await eventually(async () => {
        const [, ...sent] = await customer.inbox('hooks');
        expect(sent.map(exampleType)).toEqual(['run.completed', 'tracker.changed', undefined]);
      });
      await choice.selectOption('run.completed');
      await reader.look('endpoint-sent');
      await reader.button('Delete').click();
      const remove = dialog.getByRole('button', { name: 'Delete' });
      expect(await remove.isDisabled()).toBe(true);
      await reader.look('endpoint-delete');
      await dialog.getByRole('textbox').fill(new URL(webhook.url).host);
      await remove.click();
      await reader.text('No endpoints yet').waitFor();

      expect(secret).toMatch(/^whsec_.{40,}$/);
      expect(await customer.webhooks()).toEqual([]);
    });

    it('the list shows an endpoint of each kind with its figures, which are read once, and none when empty', async () => {
      const customer = await stack.newCustomer('Northwind Studio');
      const owned = given(customer);
      const reader = await signedIn(customer);
      await reader.text('No endpoints yet').waitFor();
      await reader.glance('endpoints-empty');
      const active = await storeEndpoint(owned, { url });
      await storeDay(owned, active, 30);
      await storeEndpoint(owned, {
        url: 'https://staging.northwind.example/webhooks',
        description: 'Staging',
        previousSecret: 'sealed',
        previousSecretExpiresAt: owned.now + 17 * hour,
      });
      const failed = { status: 'failed', activatedAt: null, lastDeliveryAt: null } as const;
      await storeEndpoint(owned, { url: 'https://old.northwind.example/hooks', ...failed });
      const failing = await storeFailing(owned);

      await reader.follow('nowhere', 'This address has no view');
      const before = reader.calls().length;
      await reader.follow('endpoints', 'Endpoints');
      await eventually(async () => expect(await reader.page.locator('.rows > li').count()).toBe(4));
      const row = (id: string) => reader.page.locator('.rows > li').filter({ has: link(reader, id) });
      const glance = (id: string) => row(id).locator('.glance > span');
      await row(active)
        .getByText(/% of 2\d delivered in 24 h/)
        .waitFor();
      expect(await glance(active).allTextContents()).toEqual([
        expect.stringMatching(/^[89]\d(\.\d)? % of 2\d delivered in 24 h$/),
        expect.stringMatching(/^1 pending, \d+ attempts failed$/),
        expect.stringMatching(/^median response \d+ ms$/),
      ]);
      expect(await glance(failing).allTextContents()).toEqual(['0 % of 3 delivered in 24 h', 'median response 212 ms']);
      expect(await row(failing).textContent()).toMatch(/^failing.*Failing for 3 h/);
      const [first, ...others] = await reader.page.locator('.rows .badge').allTextContents();
      // The others are as new as each other.
      expect([first, ...others.sort()]).toEqual(['failing', 'active', 'active', 'not active']);
      expect(await row(failing).getByRole('img').getAttribute('aria-label')).toBe('3 failed');
      await reader.look('endpoints');
      const calls = (end: string) =>
        reader
          .calls()
          .slice(before)
          .filter((call) => call.endsWith(end));
      for (const refreshes of [2, 3]) {
        await reader.pass(minute);
        await eventually(async () => expect(calls('/v1/webhooks').length).toBeGreaterThanOrEqual(refreshes));
      }
      expect(calls('/stats')).toHaveLength(3);
    });

    it('the list stays without its figures, says when they can be read, and reads them when the API answers again', async () => {
      const { customer, owned } = await newOwner();
      await storeEndpoint(owned, { url });
      const reader = await signedIn(customer, 'runs', 429, 0);
      await reader.title('Runs');
      await reader.page.route('**/stats', (route) => route.fulfill(refusal));

      await reader.follow('endpoints', 'Endpoints');
      await reader.text('Could not load the figures').waitFor();
      await reader.text(/The next request is possible in \d\d:\d\d/).waitFor();
      await reader.look('endpoints-limit');
      await reader.page.unroute('**/stats');
      await reader.page.route('**/stats', (route) => route.abort('connectionrefused'));
      await reader.button('Try again').click();
      await reader.text('The console tries again by itself.').waitFor();
      await reader.page.unroute('**/stats');
      await reader.pass(minute);
      await reader.text('No delivery in 24 h').waitFor();

      expect(await reader.page.locator('.rows > li').count()).toBe(1);
    });

    it('the page of a failing endpoint says since when, and its figures why, as a picture and as a table', async () => {
      const { customer, owned } = await newOwner();
      const failing = await storeFailing(owned);
      const reader = await signedIn(customer, `endpoints/${failing}`);
      const { page } = reader;
      const figures = page.getByRole('region', { name: 'Figures' });

      await reader.title('Endpoint');
      expect(await page.locator('.subject .badge').textContent()).toBe('failing');
      await reader.text(/^Deliveries have failed since .* \(3 h ago\)\.$/).waitFor();
      const facts = figures.locator('dd');
      expect(await facts.allTextContents()).toEqual([
        '0 % of 3 that ended',
        'half within 212 ms, 95 of 100 within 212 ms',
        'Connection failed: 3 attempts · Rejected with 503: 3 attempts · Timed out: 3 attempts',
      ]);
      const picture = figures.getByRole('img');
      expect(await picture.getAttribute('aria-label')).toMatch(
        /^Deliveries over time in 24 spans of 1 h: 3 failed; failures in \d of the spans$/,
      );
      expect(await figures.locator('.marks span').allTextContents()).toEqual([
        ...Array.from({ length: 4 }, () => expect.stringMatching(/^\d\d:\d\d$/)),
        'now',
      ]);
      await figures.getByText('As a table').click();
      expect(await figures.getByRole('cell').first().textContent()).toMatch(/^\d failed$/);
      await reader.look('endpoint-failing');
      await figures.getByRole('button', { name: 'Last hour' }).click();
      await eventually(async () => expect(await facts.first().textContent()).toBe('no delivery'));
      await figures.getByRole('button', { name: '7 days' }).click();
      await eventually(async () =>
        expect(await picture.getAttribute('aria-label')).toMatch(/in 24 spans of 7 h: 3 failed/),
      );
      // Figures that wait to be read again are those of the time that is chosen by then.
      const isEndpoint = ({ pathname }: URL) => pathname.endsWith(`/webhooks/${failing}`);
      let attempts = 0;
      await page.route(isEndpoint, async (route) => {
        const response = await route.fetch();
        attempts = Math.min(attempts + 1, 2);
        const json = { ...Object(await response.json()), last_delivery_at: new Date(attempts).toISOString() };
        await route.fulfill({ response, json });
      });
      const refreshed = () => page.waitForResponse((response) => isEndpoint(new URL(response.url())));
      for (let count = 0; count < 3; count += 1) await Promise.all([refreshed(), reader.pass(5_000)]);
      await figures.getByRole('button', { name: 'Last hour' }).click();
      await eventually(async () => expect(await facts.first().textContent()).toBe('no delivery'));
      await Promise.all([page.waitForResponse('**/stats?*'), reader.pass(31_000)]);
      await reader.title('Endpoint');
      expect(await facts.first().textContent()).toBe('no delivery');
      await figures.getByRole('button', { name: '7 days' }).click();
      await figures.getByRole('link', { name: /^Rejected with 503/ }).click();
      await page.waitForURL(`**/console#/deliveries?webhook=${failing}&response_status=5xx&created_after=*`);
      await page.goBack();
      await page.getByRole('link', { name: 'See what failed' }).click();
      await page.waitForURL(`**/console#/deliveries?webhook=${failing}&status=failed`);
    });
  });

  describe('deliveries', () => {
    it('an event appears by itself, and nothing is requested while the tab is hidden', async () => {
      const customer = await stack.newCustomer();
      await customer.register(customer.receiver('hooks'));
      const reader = await signedIn(customer, 'deliveries');
      const rows = reader.page.locator('.deliveries > li');
      await reader.title('Deliveries');
      expect(await rows.count()).toBe(1);

      await customer.settleRun();
      await eventually(async () => {
        await reader.pass(minute);
        expect(await rows.first().textContent()).toMatch(/^delivered · 200run\.completed/);
      });
      await reader.hide(true);
      const before = reader.calls().length;
      await reader.pass(10 * minute);
      await reader.follow('deliveries?status=delivered', 'Deliveries');
      const hidden = reader.calls().length;
      await reader.pass(10 * minute);
      expect(reader.calls().length).toBe(hidden);
      await reader.hide(false);

      expect(hidden - before).toBeLessThanOrEqual(2);
      await eventually(async () => expect(reader.calls().length).toBe(hidden + 1));
    });

    it('a failed event is resent from its timeline, which shows all deliveries of the event', async () => {
      const customer = await stack.newCustomer();
      const { webhook } = await customer.register(customer.receiver('hooks'));
      const id = only(await storeFailed(given(customer), webhook.id, 1));
      const reader = await signedIn(customer, `deliveries?webhook=${webhook.id}&status=failed`, 0);
      const { page } = reader;

      await page.locator('.deliveries > li').first().click();
      await reader.title('Delivery');
      await page.getByRole('link', { name: 'Deliveries', exact: true }).last().click();
      await page.waitForURL(`**/console#/deliveries?webhook=${webhook.id}&status=failed`);
      await page.goBack();
      await reader.title('Delivery');
      // A late answer does not take the reader away from where they have gone.
      const gone = Promise.withResolvers<void>();
      const isReplay = ({ pathname }: URL) => pathname.endsWith('/replay');
      await page.route(isReplay, async (route) => {
        await gone.promise;
        await route.fulfill({ status: 202, json: { delivery: { id } } });
      });
      await reader.button('Resend').click();
      await reader.button('One moment…').waitFor();
      await reader.follow('signature', 'Check a signature');
      const answered = page.waitForResponse((response) => isReplay(new URL(response.url())));
      gone.resolve();
      await answered;
      await page.locator('.announcer').getByText('The event was resent').waitFor({ state: 'attached' });
      expect(page.url()).toMatch(/#\/signature$/);
      await page.unroute(isReplay);
      await page.goBack();
      await reader.title('Delivery');
      // A response that was lost does not resend it twice: see the list below.
      await losingResponses(reader, () => reader.button('Resend').click(), 'Could not resend the event');
      await reader.button('Resend').click();
      await page.getByRole('link', { name: id, exact: true }).waitFor();
      await eventually(async () => {
        await reader.pass(minute);
        expect(await page.locator('.timeline strong').allTextContents()).toEqual(['Acknowledged with 200']);
      });
      const chain = page.getByRole('region', { name: 'Deliveries of this event' }).getByRole('listitem');
      // The list loads beside the delivery.
      await eventually(async () => {
        expect(await chain.allTextContents()).toEqual([
          expect.stringMatching(/^delivered\s*Resend, this one/),
          expect.stringMatching(new RegExp(`^failed\\s*First delivery${id}`)),
        ]);
      });
      await chain.last().click();
      await eventually(async () => {
        expect(await page.locator('.timeline > li.made').count()).toBe(3);
        expect(await chain.first().textContent()).toMatch(/^delivered\s*Resend(?!, this one)/);
      });
    });

    it('on the local stack alone, the wait for the next attempt can be ended', async () => {
      const customer = await stack.newCustomer();
      const { webhook } = await customer.register(customer.receiver('hooks'));
      const id = await storeWaiting(customer, webhook.id);
      const reader = await signedIn(customer, `endpoints/${webhook.id}/deliveries/${id}`, 404);
      const { page } = reader;
      const verdict = page.locator('.verdict');
      await reader.title('Delivery');

      await reader.text(/^Only on the local stack/).waitFor();
      await reader.look('delivery-at-once');
      await reader.button('Attempt now').click();
      await eventually(async () => {
        await reader.pass(minute);
        expect(await verdict.textContent()).toMatch(/^Your receiver acknowledged attempt 2 with 200/);
      });
      expect(await customer.received('hooks', 1)).toHaveLength(1);
      // Nothing waits in the Scheduler.
      const other = await storeAttempted(given(customer), waitingAt(webhook.id));
      await reader.follow(`endpoints/${webhook.id}/deliveries/${other}`, 'Delivery');
      await reader.button('Attempt now').click();
      await reader.text('No attempt of this delivery waits').waitFor();
      await reader.glance('delivery-not-waiting');
      await page.route('**/v1/**', async (route) => {
        const response = await route.fetch();
        const { 'x-local-stack': _, ...headers } = response.headers();
        await route.fulfill({ response, headers });
      });
      await reader.follow('runs', 'Runs');
      await reader.follow(`endpoints/${webhook.id}/deliveries/${other}`, 'Delivery');
      await reader.text(/^Next attempt in/).waitFor();
      expect(await reader.button('Attempt now').count()).toBe(0);
    });

    it('everything that failed since a time is resent, after a plan, with its progress', async () => {
      const customer = await stack.newCustomer();
      const { webhook } = await customer.register(customer.receiver('hooks'));
      await storeFailed(given(customer), webhook.id, 4);
      const reader = await signedIn(customer, `endpoints/${webhook.id}/replays`, 0);
      const { page } = reader;

      // What is counted of a time that the reader has changed meanwhile is not offered.
      const plan = page.getByRole('heading', { name: '4 deliveries to resend' });
      const time = page.getByLabel('Failed deliveries that were created');
      const changed = Promise.withResolvers<void>();
      await page.route('**/replays/plan', async (route) => {
        await changed.promise;
        await route.fulfill({ response: await route.fetch() });
      });
      await reader.button('Count them').click();
      await reader.button('Counting…').waitFor();
      await time.selectOption('in the last hour');
      changed.resolve();
      await reader.button('Count them').waitFor();
      expect(await plan.count()).toBe(0);
      await time.selectOption('in the last 24 hours');
      await reader.button('Count them').click();
      await plan.waitFor();
      await reader.look('replays-plan');
      // When the response is lost, the list below has what began.
      await losingResponses(reader, () => reader.button('Resend 4 deliveries').click(), 'Could not begin');
      await page.getByRole('region', { name: 'Earlier' }).getByRole('link').click();
      await reader.title('Resend');
      await eventually(
        async () => {
          await reader.pass(minute);
          const summary = await page.locator('.summary').textContent();
          expect(summary).toMatch(/completed.*4 resent: 4 delivered, 0 failed/);
        },
        { interval: 1_000 },
      );
      await page.getByRole('link', { name: 'See the new deliveries' }).click();
      await reader.title('Deliveries');

      expect(await page.locator('.deliveries > li').count()).toBe(4);
      expect(await customer.received('hooks', 4)).toHaveLength(4);
    });
  });

  it('refreshes slow down before the request limit, and a reader who meets it sees when to go on', async () => {
    const customer = await stack.newCustomer();
    const reader = await open([customer.apiKey], [429]);
    await reader.load();
    await reader.page.route('**/v1/webhooks', (route) => route.fulfill(refusal));
    await reader.signIn(customer.apiKey);
    await reader.text(/The next request is possible in \d\d:\d\d/).waitFor();
    const link = reader.page.getByRole('link', { name: 'What rate_limit_exceeded means' });
    expect(await link.getAttribute('href')).toBe(limitProblem.type);
    await reader.look('failure-limit');
    const refused = reader.calls().length;
    await reader.pass(20 * minute);
    expect(reader.calls()).toHaveLength(refused);
    await reader.page.unroute('**/v1/webhooks');
    await reader.page.route('**/v1/webhooks', async (route) => {
      const response = await route.fetch();
      const headers = { ...response.headers(), ratelimit: '"default";r=10;t=6000' };
      await route.fulfill({ response, headers });
    });
    await reader.pass(31 * minute);
    await reader.text('No endpoints yet').waitFor();
    const before = reader.calls().length;
    await reader.pass(60 * minute);
    expect(reader.calls()).toHaveLength(before);
    await reader.pass(60 * minute);
    await eventually(async () => expect(reader.calls()).toHaveLength(before + 1));
  });

  it('a keyboard is enough: headings and dialogs take the focus, and dialogs give it back', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks'));
    const reader = await signedIn(customer);
    const { page } = reader;
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await reader.title('Endpoints');

    await expect.poll(() => reader.focused()).toBe('Endpoints');
    await press('Tab');
    await expect.poll(() => reader.focused()).toBe('Register an endpoint');
    await press('Tab', 'Enter');
    await reader.title('Endpoint');
    await expect.poll(() => reader.focused()).toBe('Endpoint');
    await page.getByRole('button', { name: 'Rotate the secret' }).focus();
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    // Beyond its last button, the focus leaves for the browser's own bar, never for what is behind the dialog.
    const seen = new Set<string>();
    for (let count = 0; count < 6; count += 1) {
      await press('Tab');
      seen.add(await reader.focused());
    }
    expect([...seen].filter((text) => text !== '').toSorted()).toEqual(['Cancel', 'Rotate']);
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => reader.focused()).toBe('Rotate the secret');
    await page.getByRole('link', { name: 'Skip to content' }).focus();
    await press('Enter');
    await expect.poll(() => reader.focused()).toBe('Endpoint');

    expect((await customer.webhook(webhook.id)).previous_secret_expires_at).toBeNull();
  });
});

describe('each view of the console', { concurrent: true }, () => {
  it('25 deliveries take 3 requests, and a delivery shows its attempts; both are free of errors and barriers', async () => {
    const { customer, owned } = await newOwner();
    const webhookId = await storeEndpoint(owned, { url });
    const { pending, failed } = await storeDay(owned, webhookId, 30);
    const reader = await signedInAsOwner(customer, [0]);
    const rows = reader.page.locator('.deliveries > li');
    const search = reader.page.getByLabel('Find an id');
    // The list of endpoints has asked for all that it shows.
    await eventually(async () => expect(reader.calls()).toContain(`GET /v1/webhooks/${webhookId}/stats`));
    const before = { calls: reader.calls().length, files: reader.files().length };

    await reader.open('deliveries', 'Deliveries');
    expect(await rows.count()).toBe(25);
    // On a busy machine, the page may have refreshed its list already.
    const calls = new Set(reader.calls().slice(before.calls));
    expect([...calls].toSorted()).toEqual(['GET /v1/credential', 'GET /v1/deliveries', 'GET /v1/webhooks']);
    // The script, the stylesheet and the icon are in the browser's cache by now.
    expect(reader.files().slice(before.files)[0]).toBe('/console');
    await reader.look('deliveries');
    await duringRefresh(reader, async () => {
      await reader.button('Load older deliveries').click();
      await eventually(async () => expect(await rows.count()).toBe(30));
    });
    expect(await rows.count()).toBe(30);
    await reader.page.getByLabel('Response').selectOption('No response');
    await reader.page.waitForURL('**/console#/deliveries?response_status=none');
    await reader.title('Deliveries');
    await eventually(async () => {
      const badges = await reader.page.locator('.deliveries .badge').allTextContents();
      expect(badges.length).toBeGreaterThan(0);
      expect(badges.filter((text) => !/^failed · (timeout|connection)$/.test(text))).toEqual([]);
    });
    await reader.look('deliveries-no-response');
    await reader.follow(`deliveries?webhook=${webhookId}&status=failed`, 'Deliveries');
    await reader.glance('deliveries-failed');
    await search.fill('abc');
    await search.press('Enter');
    await reader.text('Search takes the id of an event').waitFor();
    expect(await search.getAttribute('aria-invalid')).toBe('true');
    await reader.look('search-wrong');
    await search.fill(failed);
    await reader.page.route('**/v1/webhooks', (route) => route.abort());
    await search.press('Enter');
    await reader.text('The API does not answer').waitFor();
    await reader.page.unroute('**/v1/webhooks');
    await search.press('Enter');
    await reader.page.waitForURL(`**/console#/endpoints/${webhookId}/deliveries/${failed}`);
    await reader.follow(`deliveries?run_id=${makeId('run', owned.now, randomBytes(10))}`, 'Deliveries');
    await reader.text('No delivery matches these filters').waitFor();
    await reader.glance('deliveries-none');
    await reader.follow(`endpoints/${webhookId}/deliveries/${pending}`, 'Delivery');
    await reader.text(/^Next attempt in \d:\d\d/).waitFor();
    await reader.glance('delivery-pending');
    await reader.open(`endpoints/${webhookId}/deliveries/${failed}`, 'Delivery');
    expect(await reader.page.locator('.timeline strong').allTextContents()).toEqual([
      'Rejected with 503',
      'Timed out',
      'Connection failed',
    ]);
    expect(await reader.page.locator('.timeline [role=img]').first().getAttribute('aria-label')).toMatch(
      /Waiting for the response [\d.]+ m?s.* of a limit of 10 s/,
    );
    await reader.text('Send it with curl').click();
    const command = reader.page.locator('details pre');
    expect(await command.textContent()).toMatch(
      /^curl -i .*'https:.*'X-Service-Event-Type: run\.completed'.*--data-raw '\{"id":"evt_.*\}'$/s,
    );
    expect(await command.textContent()).not.toContain('ignature');
    await reader.text('each attempt computes them with your secret').waitFor();
    await reader.look('delivery');
    await reader.page.emulateMedia({ media: 'print' });
    expect(await reader.page.getByRole('navigation').isVisible()).toBe(false);
    expect(await reader.page.locator('.timeline').isVisible()).toBe(true);
  });

  it('a signature is checked in the browser: which rule fails is said, and nothing is sent or kept', async () => {
    const customer = await stack.newCustomer();
    const [secret, other] = [makeSigningSecret(randomBytes(32)), makeSigningSecret(randomBytes(32))];
    const body = '{"id":"evt_1","type":"run.completed"}';
    const reader = await signedIn(customer, 'signature');
    const { page } = reader;
    await reader.title('Check a signature');
    await reader.look('signature');
    const headersAt = (time: number) => {
      const bytes = Buffer.from(body);
      const standard = standardHeaders([secret], 'evt_1', bytes, time);
      const all = { 'X-Service-Signature': signatureHeader([secret], bytes, time), ...standard };
      return Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    };
    const check = async (lines: readonly string[], given: string, key: string) => {
      await page.getByLabel('Headers').fill(lines.join('\n'));
      await page.getByLabel('Raw body').fill(given);
      await page.getByLabel('Signing secret').fill(key);
      await reader.button('Check').click();
      await page.getByRole('heading', { name: 'Result' }).waitFor();
      await expect.poll(() => reader.focused()).toBe('Result');
      return await page.locator('#content .note').allTextContents();
    };
    const before = { calls: reader.calls().length, files: reader.files().length };
    const [accepted, refused] = ['A receiver accepts this request.', 'A receiver refuses this request.'];

    expect(await check(headersAt(Date.now()), body, secret)).toEqual([accepted, accepted]);
    await reader.look('signature-right');
    expect(await check(headersAt(Date.now() - hour), `${body} `, other)).toEqual([refused, refused]);
    await reader.text(/is 1 h behind this clock, and a receiver allows 300 s/).waitFor();
    await reader.text(/The body was changed after it arrived, or the secret is that of another/).waitFor();
    await reader.look('signature-wrong');
    expect(await check(headersAt(Date.now()).slice(1), JSON.stringify(JSON.parse(body), null, 2), secret)).toEqual([
      refused,
      refused,
    ]);
    await reader.text(/The request has no X-…-Signature/).waitFor();
    await reader.text(/The body was formatted/).waitFor();
    await page.getByLabel('Raw body').fill(body);
    await page.getByRole('heading', { name: 'Result' }).waitFor({ state: 'detached' });

    expect({ calls: reader.calls().length, files: reader.files().length }).toEqual(before);
    expect(await kept(reader)).toBe(nothing);
    await reader.follow('runs', 'Runs');
    await page.goBack();
    await reader.title('Check a signature');
    expect(await page.getByLabel('Signing secret').inputValue()).toBe('');
  });

  it('bulk replays, Runs and Trackers are free of errors and barriers', async () => {
    const { customer, owned } = await newOwner();
    const { run, tracker } = await storeResults(customer);
    const webhookId = await storeEndpoint(owned, { url });
    const reader = await signedInAsOwner(customer);

    await storeFailed(owned, webhookId, 17);
    const replayId = await storeRunning(owned, webhookId, 41);
    await reader.open(`endpoints/${webhookId}/replays/${replayId}`, 'Resend');
    await reader.text(/^41 of 58/).waitFor();
    expect(await reader.page.locator('progress').getAttribute('max')).toBe('58');
    await reader.look('replay');
    await reader.button('Stop').click();
    await reader.text('it was stopped on request').waitFor();
    expect(await reader.focused()).toBe('Resend');
    const job = { customerId: customer.id, webhookId, id: replayId };
    await storeEnds(owned, job, { delivered: ['a', 'b'], failed: ['c'] });
    await reader.load(`endpoints/${webhookId}/replays/${replayId}`);
    await reader.text('41 resent: 2 delivered, 1 failed, 38 pending').waitFor();
    await reader.page.getByRole('link', { name: 'See what failed' }).waitFor();
    await reader.follow('resend', 'Resend what failed');
    await reader.text('17 failed').waitFor();
    await reader.look('resend');
    await reader.follow('runs', 'Runs');
    await reader.look('runs');
    await reader.open(`runs/${run}`, 'Run');
    await reader.look('run');
    await reader.follow(`trackers/${tracker}`, 'Tracker');
    await reader.look('tracker');
  });

  it('failures are shown without errors and barriers, and what was loaded stays while the API is down', async () => {
    const { customer, owned } = await newOwner();
    const webhookId = await storeEndpoint(owned, {});
    const reader = await signedInAsOwner(customer, [0, 400, 404]);
    const { page } = reader;

    await reader.load('deliveries');
    await reader.text('No deliveries yet').waitFor();
    await reader.follow('deliveries?status=wrong', 'Deliveries');
    await reader.text('Could not load the deliveries').waitFor();
    const unknown = makeId('delivery', owned.now, randomBytes(10));
    await reader.load(`endpoints/${webhookId}/deliveries/${unknown}`);
    await reader.text('Could not load the delivery').waitFor();
    await reader.glance('failure-unknown');
    await reader.follow('endpoints', 'Endpoints');
    await page.route('**/v1/**', (route) => route.abort('connectionrefused'));
    await reader.pass(minute);
    await page.locator('main > .note').getByText('The API does not answer').waitFor();
    expect(await page.locator('.rows > li').count()).toBe(1);
    await reader.glance('failure-stale');
    await reader.follow('runs', 'Runs');
    await reader.text('Could not load the Runs').waitFor();
    await reader.glance('failure-offline');
    await page.unroute('**/v1/**');
    await reader.pass(minute);
    await reader.text('No Runs yet').waitFor();
  });

  it('times are in the language of the browser and name their zone', async () => {
    const { customer, owned } = await newOwner();
    const webhookId = await storeEndpoint(owned, { url });
    const [deliveryId = ''] = await storeFailed(owned, webhookId, 1);
    const reader = await signedInAsOwner(customer, [], 'de-DE');

    await reader.open(`endpoints/${webhookId}/deliveries/${deliveryId}`, 'Delivery');
    const time = reader.page.locator('.facts time');
    expect(await time.textContent()).toMatch(/^\d+\. \S+ \d{4}, \d\d:\d\d:\d\d (MEZ|MESZ)$/);
    expect(await time.getAttribute('lang')).toBe('de-DE');
    await reader.text(/^Times and days are in your time zone, Europe\/Berlin \((MEZ|MESZ) now\)$/).waitFor();
    await reader.look('delivery-german');
  });

  it('hostile texts are shown as texts, and keep their place on the page', async () => {
    const { customer, owned } = await newOwner('W'.repeat(150));
    const webhookId = await storeEndpoint(owned, { url: longUrl, description: hostile.padEnd(2_048, 'W') });
    const deliveryId = await storeAttempted(owned, {
      webhookId,
      createdAt: owned.now - 2 * hour,
      kind: hostile,
      results: Array.from({ length: 3 }, () => ({ ...unavailable, error: hostile.padEnd(200, 'W') })),
    });
    const reader = await signedInAsOwner(customer);

    for (const [fragment, title, shown] of [
      ['endpoints', 'Endpoints', longUrl],
      [`endpoints/${webhookId}`, 'Endpoint', markup],
      ['deliveries', 'Deliveries', markup],
      [`endpoints/${webhookId}/deliveries/${deliveryId}`, 'Delivery', markup],
    ] as const) {
      await reader.open(fragment, title);
      await reader.text(shown).waitFor();
      await reader.glance(`hostile-${title.toLowerCase()}`);
      expect(await reader.page.locator('img, #content script').count()).toBe(0);
      expect(await reader.page.evaluate('window.hostile')).toBeUndefined();
    }
  });
});
