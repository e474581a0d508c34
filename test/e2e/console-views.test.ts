import { randomBytes } from 'node:crypto';
import { describe, expect, inject, it } from 'vitest';
import { makeId } from '#shared/domain/ids.ts';
import { useBrowser } from '../support/browser/browser.ts';
import {
  storeAttempted,
  storeDay,
  storeEndpoint,
  storeFailed,
  storeRunning,
  unavailable,
} from '../support/browser/console-history.ts';
import { ConsoleReader } from '../support/browser/console-reader.ts';
import { eventually } from '../support/stack/eventually.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { hour, minute } from '../support/values/builders.ts';

const { api_url: apiUrl } = inject('stack').info;
const stack = useStack();
const browser = useBrowser();

const url = 'https://hooks.northwind.example/runs';

/** A customer with the stored records that the views show. */
async function newOwner(name = 'Northwind Studio') {
  const customer = await stack.newCustomer(name);
  return { customer, given: { table: stack.table(), customerId: customer.id, now: Date.now() } };
}

/** Signs in for the tab: every view is then loaded by its link, as after a reload. */
async function signedIn({ apiKey }: StackCustomer, ...failures: readonly number[]) {
  const reader = await ConsoleReader.open(browser(), { apiUrl, secrets: [apiKey], failures });
  await reader.load();
  await reader.signIn(apiKey, { kept: true });
  await reader.title('Endpoints');
  return reader;
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

const markup = `<img src=x onerror="window.hostile=1"><script>window.hostile=1</script>&lt;b&gt;`;
/** Ends with a control that reverses the text that follows it, and is never closed. */
const hostile = `${markup}\u2066\u202e`;
/** As long as a URL may be. */
const longUrl = `https://hooks.example.com/${markup.replaceAll(' ', '%20')}`.padEnd(2_048, 'w');

describe('each view of the console', { concurrent: true }, () => {
  it('endpoints are free of errors and barriers, on a desk and on a phone, light and dark', async () => {
    const { customer, given } = await newOwner();
    const reader = await signedIn(customer, 400);
    const dialog = reader.page.getByRole('dialog');
    await reader.glance('endpoints-empty');
    const webhookId = await storeEndpoint(given, { url });
    await storeEndpoint(given, {
      url: 'https://staging.northwind.example/webhooks',
      description: 'Staging',
      previousSecret: 'sealed',
      previousSecretExpiresAt: given.now + 17 * hour,
    });
    const failed = { status: 'failed', activatedAt: null, lastDeliveryAt: null } as const;
    const failedId = await storeEndpoint(given, { url: 'https://old.northwind.example/hooks', ...failed });

    await reader.open('endpoints', 'Endpoints');
    await reader.look('endpoints');
    await reader.open('endpoints/new', 'Register an endpoint');
    await reader.look('endpoint-new');
    await reader.page.getByLabel('URL').fill('https://localhost/hooks');
    await reader.button('Register').click();
    await reader.text('The URL must not point to').waitFor();
    await reader.look('endpoint-refused');
    await reader.page.getByLabel('URL').fill(customer.receiver('hooks'));
    await reader.button('Register').click();
    await reader.title('Endpoint');
    await reader.text('Account: Northwind Studio').waitFor();
    await reader.look('endpoint-registered');
    await reader.follow('runs', 'Runs');
    await reader.look('secret-not-stored');
    await reader.button('Sign out').click();
    await dialog.waitFor();
    await reader.look('sign-out');
    await reader.button('Cancel').click();
    await reader.page.getByRole('link', { name: 'Show the secret' }).click();
    await reader.button('I have stored it').click();
    await reader.open(`endpoints/${webhookId}`, 'Endpoint');
    await reader.look('endpoint');
    await reader.button('Delete').click();
    await dialog.waitFor();
    await reader.look('endpoint-delete');
    await reader.load(`endpoints/${failedId}`);
    await reader.text('This endpoint holds one of your 5 slots').waitFor();
    await reader.look('endpoint-failed');
    await reader.open('nowhere', 'This address has no view');
    await reader.page.evaluate("location.hash = '#token=key_of_somebody'");
    await dialog.waitFor();
    await reader.look('link-refused');
    await reader.button('OK').click();
    await reader.button('Sign out').click();
    await reader.title('Sign in');
    await reader.look('sign-in');

    expect(await reader.faults()).toEqual([]);
  });

  it('25 deliveries take 3 requests, and a delivery shows its attempts; both are free of errors and barriers', async () => {
    const { customer, given } = await newOwner();
    const webhookId = await storeEndpoint(given, { url });
    const { pending, failed } = await storeDay(given, webhookId, 30);
    const reader = await signedIn(customer);
    const rows = reader.page.locator('.deliveries > li');
    const search = reader.page.getByLabel('Find an id');
    const before = { calls: reader.calls().length, files: reader.files().length };

    await reader.open('deliveries', 'Deliveries');
    expect(await rows.count()).toBe(25);
    // On a busy machine, the page may have refreshed its list already.
    const calls = new Set(reader.calls().slice(before.calls));
    expect([...calls].toSorted()).toEqual(['GET /v1/credential', 'GET /v1/deliveries', 'GET /v1/webhooks']);
    // The script, the stylesheet and the icon are in the browser's cache by now.
    expect(reader.files().slice(before.files)[0]).toBe('/console');
    await reader.look('deliveries');
    await reader.button('Load older deliveries').click();
    await eventually(async () => expect(await rows.count()).toBe(30));
    await reader.open(`deliveries?webhook=${webhookId}&status=failed`, 'Deliveries');
    await reader.glance('deliveries-failed');
    await search.fill('abc');
    await search.press('Enter');
    await reader.text('Search takes the id of an event').waitFor();
    expect(await search.getAttribute('aria-invalid')).toBe('true');
    await reader.look('search-wrong');
    await search.fill(failed);
    await search.press('Enter');
    await reader.page.waitForURL(`**/console#/endpoints/${webhookId}/deliveries/${failed}`);
    await reader.load('deliveries?status=wrong');
    await reader.text('Could not load the deliveries').waitFor();
    await reader.load(`deliveries?run_id=${makeId('run', given.now, randomBytes(10))}`);
    await reader.text('No delivery matches these filters').waitFor();
    await reader.glance('deliveries-none');
    await reader.open(`endpoints/${webhookId}/deliveries/${pending}`, 'Delivery');
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
    await reader.look('delivery');
    await reader.page.emulateMedia({ media: 'print' });
    expect(await reader.page.getByRole('navigation').isVisible()).toBe(false);
    expect(await reader.page.locator('.timeline').isVisible()).toBe(true);

    expect(await reader.faults()).toEqual([expect.stringMatching(/^400: .*\/v1\/deliveries\?status=wrong$/)]);
  });

  it('bulk replays, Runs and Trackers are free of errors and barriers', async () => {
    const { customer, given } = await newOwner();
    const { run, tracker } = await storeResults(customer);
    const webhookId = await storeEndpoint(given, { url });
    await storeFailed(given, webhookId, 17);
    const reader = await signedIn(customer);

    await reader.open(`endpoints/${webhookId}/replays`, 'Resend what failed');
    await reader.button('Count them').click();
    await reader.button('Send 17 deliveries again').waitFor();
    await reader.look('replays-plan');
    const replayId = await storeRunning(given, webhookId, 41);
    await reader.open(`endpoints/${webhookId}/replays/${replayId}`, 'Sending again');
    await reader.text(/^41 of 58/).waitFor();
    expect(await reader.page.locator('progress').getAttribute('max')).toBe('58');
    await reader.look('replay');
    await reader.open('runs', 'Runs');
    await reader.look('runs');
    await reader.open(`runs/${run}`, 'Run');
    await reader.look('run');
    await reader.open(`trackers/${tracker}`, 'Tracker');
    await reader.look('tracker');

    expect(await reader.faults()).toEqual([]);
  });

  it('failures are shown without errors and barriers, and what was loaded stays while the API is down', async () => {
    const { customer, given } = await newOwner();
    const webhookId = await storeEndpoint(given, {});
    const reader = await signedIn(customer, 0, 404, 429);
    const { page } = reader;

    await reader.load('deliveries');
    await reader.text('No deliveries yet').waitFor();
    const unknown = makeId('delivery', given.now, randomBytes(10));
    await reader.load(`endpoints/${webhookId}/deliveries/${unknown}`);
    await reader.text('Could not load the delivery').waitFor();
    await reader.glance('failure-unknown');
    await reader.open('endpoints', 'Endpoints');
    await page.route('**/v1/**', (route) => route.abort('connectionrefused'));
    await reader.pass(minute);
    await page.locator('main > .note').getByText('The API does not answer').waitFor();
    expect(await page.locator('.rows > li').count()).toBe(1);
    await reader.glance('failure-stale');
    await reader.follow('runs', 'Runs');
    await reader.text('Could not load the Runs').waitFor();
    await reader.glance('failure-offline');
    await page.unroute('**/v1/**');
    // An answer of the service: the limit would end while a busy machine looks at it.
    const type = `${apiUrl}/docs/errors/rate_limit_exceeded`;
    const body = JSON.stringify({
      type,
      title: 'Too many requests',
      status: 429,
      code: 'rate_limit_exceeded',
    });
    const refusal = { status: 429, headers: { 'Retry-After': '3000' }, body };
    await page.route('**/v1/runs*', (route) => route.fulfill(refusal));
    await reader.button('Try again').click();
    await reader.text('The next request is possible in').waitFor();
    const link = page.getByRole('link', { name: 'What rate_limit_exceeded means' });
    expect(await link.getAttribute('href')).toBe(type);
    await reader.look('failure-limit');
    await page.unroute('**/v1/runs*');
    await reader.pass(hour);
    await reader.button('Try again').click();
    await reader.text('No Runs yet').waitFor();

    expect(await reader.faults()).toEqual([]);
  });

  it('hostile texts are shown as texts, and keep their place on the page', async () => {
    const { customer, given } = await newOwner('W'.repeat(150));
    const webhookId = await storeEndpoint(given, { url: longUrl, description: hostile.padEnd(2_048, 'W') });
    const deliveryId = await storeAttempted(given, {
      webhookId,
      createdAt: given.now - 2 * hour,
      kind: hostile,
      results: Array.from({ length: 3 }, () => ({ ...unavailable, error: hostile.padEnd(200, 'W') })),
    });
    const reader = await signedIn(customer);

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

    expect(await reader.faults()).toEqual([]);
  });
});
