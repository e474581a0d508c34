import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { noBrowser, openBrowser } from '../support/browser/browser.ts';
import { storeFailed } from '../support/browser/console-history.ts';
import { ConsoleReader } from '../support/browser/console-reader.ts';
import { eventually } from '../support/stack/eventually.ts';
import { useOperator, withLink } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { minute } from '../support/values/builders.ts';

const { api_url: apiUrl } = inject('stack').info;
const stack = useStack();
const { operate } = useOperator();

let browser: Browser;

const open = (secrets: readonly string[], ...failures: readonly number[]) =>
  ConsoleReader.open(browser, { apiUrl, secrets, failures });

/** A reader who has signed in with the key of a customer. */
async function signedIn(customer: StackCustomer, fragment = '', ...failures: readonly number[]) {
  const reader = await open([customer.apiKey], ...failures);
  await reader.load(fragment);
  await reader.signIn(customer.apiKey);
  return reader;
}

const newLink = async (customer: StackCustomer) =>
  withLink.parse(await operate(customer, 'portal-link', '--customer', customer.id, '--minutes', '60'));

const kept = (reader: ConsoleReader) =>
  reader.page.evaluate('JSON.stringify([sessionStorage, localStorage, document.cookie])');

describe.skipIf(noBrowser !== null)(
  `the console in a browser${noBrowser === null ? '' : ` (${noBrowser})`}`,
  { concurrent: true },
  () => {
    beforeAll(async () => {
      browser = await openBrowser();
    });

    afterAll(() => browser?.close());

    describe('signing in', () => {
      it('a key is kept in memory only, unless the reader asks for the tab, and is gone after signing out', async () => {
        const customer = await stack.newCustomer();
        const reader = await open([customer.apiKey], 401);
        const { page } = reader;
        await reader.load();

        await reader.signIn('key_wrong');
        await page.getByRole('alert').filter({ hasText: 'This key is not known' }).waitFor();
        const field = page.getByLabel('API key or access token');
        expect(await field.getAttribute('aria-invalid')).toBe('true');
        expect(await field.getAttribute('aria-describedby')).toBe('sign-in-failure');
        await reader.signIn(customer.apiKey);
        await reader.title('Endpoints');
        expect(await kept(reader)).toBe('[{},{},""]');
        await page.reload();
        await reader.signIn(customer.apiKey, { kept: true });
        await reader.title('Endpoints');
        await reader.follow('runs', 'Runs');
        await page.reload();
        await reader.title('Runs');
        await reader.button('Sign out').click();
        await reader.title('Sign in');

        expect(await kept(reader)).toBe('[{},{},""]');
        expect(await reader.faults()).toEqual([]);
      });

      it('a portal link leaves the address and the history at once, stays over a reload, and ends when it is revoked', async () => {
        const customer = await stack.newCustomer();
        const { id, url } = await newLink(customer);
        const [, token = ''] = url.split('#token=');
        const reader = await open([token], 401);
        const { page } = reader;

        await page.goto('about:blank');
        await page.goto(url);
        await reader.title('Endpoints');
        expect(page.url()).toBe(`${apiUrl}/console`);
        expect(await reader.history()).toEqual(['about:blank', `${apiUrl}/console`]);
        await reader.text('Customer of a test').waitFor();
        await reader.text(/link ends in 59 min/).waitFor();
        await page.reload();
        await reader.title('Endpoints');
        await operate(customer, 'portal-link', 'revoke', '--customer', customer.id, '--link', id);
        await reader.pass(60_000);
        await reader.title('Sign in');

        await reader.text('You were signed out').waitFor();
        expect(await kept(reader)).toBe('[{},{},""]');
        await page.reload();
        await reader.title('Sign in');
        expect(await reader.faults()).toEqual([]);
      });
    });

    describe('several accounts and tabs', () => {
      it('a link to another account asks before it replaces the session, and an API key in an address is refused', async () => {
        const [customer, other] = [await stack.newCustomer('Acme'), await stack.newCustomer('Other')];
        const [, token = ''] = (await newLink(other)).url.split('#token=');
        const reader = await signedIn(customer, 'runs');
        const { page } = reader;
        const dialog = page.getByRole('dialog');
        await reader.title('Runs');

        await page.evaluate(`location.hash = '#token=${token}'`);
        await dialog.getByText('Leave Acme and open Other?').waitFor();
        await dialog.getByRole('button', { name: 'Stay' }).click();
        await dialog.waitFor({ state: 'detached' });
        expect(page.url()).toBe(`${apiUrl}/console#/runs`);
        expect(await page.locator('.caller bdi').textContent()).toBe('Acme');
        await page.evaluate(`location.hash = '#token=${other.apiKey}'`);
        await dialog.getByText('This link contains an API key').waitFor();
        await dialog.getByRole('button', { name: 'OK' }).click();
        expect(await page.locator('.caller bdi').textContent()).toBe('Acme');
        await page.evaluate(`location.hash = '#token=${token}'`);
        await dialog.getByRole('button', { name: 'Open' }).click();
        await reader.title('Endpoints');

        expect(await page.locator('.caller bdi').textContent()).toBe('Other');
        expect(await reader.faults()).toEqual([]);
      });

      it('a view opened in a new tab is signed in there, and signing out there signs out here', async () => {
        const customer = await stack.newCustomer();
        const reader = await signedIn(customer);
        await reader.title('Endpoints');

        const tab = await reader.newTab(() =>
          reader.page.getByRole('link', { name: 'Runs' }).click({ modifiers: ['Control'] }),
        );
        await tab.title('Runs');
        expect(await kept(tab)).toBe('[{},{},""]');
        await tab.button('Sign out').click();
        await tab.title('Sign in');
        await reader.title('Sign in');

        await reader.text('You signed out in another tab.').waitFor();
        expect(await reader.faults()).toEqual([]);
      });
    });

    describe('endpoints', () => {
      it('a failed endpoint says why and which slot it holds, also after Back, and is deleted to try again', async () => {
        const customer = await stack.newCustomer();
        const reader = await signedIn(customer);
        const { page } = reader;
        await reader.text('No endpoints yet').waitFor();

        await page.getByRole('link', { name: 'Register an endpoint' }).click();
        await reader.title('Register an endpoint');
        await page.getByLabel('URL').fill(customer.receiver('hooks', '?handshake=500'));
        await page.getByLabel('Description').fill('Production');
        await reader.button('Register').click();
        await reader.title('Endpoint');
        await reader.text('The receiver responded with status 500').waitFor();
        await page.getByRole('link', { name: 'See the attempt' }).click();
        await reader.title('Delivery');
        await page.goBack();
        await reader.title('Endpoint');
        await reader.text('This endpoint holds one of your 5 slots until you delete it').waitFor();
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
        expect(await reader.faults()).toEqual([]);
      });

      it('a refused registration says why at its field, once, and is still there after Back', async () => {
        const customer = await stack.newCustomer();
        const reader = await signedIn(customer, 'endpoints/new', 400);
        const { page } = reader;
        const url = page.getByLabel('URL');
        await url.fill('http://hooks.example.com/runs');
        await reader.button('Register').click();
        await page.getByText('The URL must use https.').waitFor();
        await page.getByRole('link', { name: 'Runs' }).click();
        await reader.title('Runs');
        await page.goBack();
        await reader.title('Register an endpoint');

        expect(await url.inputValue()).toBe('http://hooks.example.com/runs');
        expect(await url.getAttribute('aria-invalid')).toBe('true');
        const described = page.locator(`[id="${await url.getAttribute('aria-describedby')}"]`);
        expect(await described.textContent()).toBe('The URL must use https.');
        expect(await page.getByText(/The URL must use https/).count()).toBe(1);
        expect(await reader.faults()).toEqual([]);
      });

      it('a new secret stays in the tab until the reader has stored it, and leaving or signing out asks first', async () => {
        const customer = await stack.newCustomer();
        const reader = await signedIn(customer, 'endpoints/new', 401);
        const { page } = reader;
        const shown = page.locator('.secret pre');
        const dialog = page.getByRole('dialog');
        await page.getByLabel('URL').fill(customer.receiver('hooks'));
        await reader.button('Register').click();
        const secret = (await shown.textContent()) ?? '';
        expect(secret).toMatch(/^whsec_.{40,}$/);
        await reader.text('Account: Customer of a test').waitFor();

        // A link and Back do not lose it, and only the view of its endpoint shows it.
        await page.getByRole('link', { name: 'See the test delivery' }).click();
        await reader.title('Delivery');
        expect(await page.content()).not.toContain(secret);
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
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        expect(await shown.textContent()).toBe(secret);
        expect(await kept(reader)).toBe('[{},{},""]');

        await reader.button('I have stored it').click();
        await shown.waitFor({ state: 'detached' });
        expect(await reader.focused()).toBe('Endpoint');
        expect(await page.content()).not.toContain(secret);
        await reader.button('Sign out').click();
        await reader.title('Sign in');
        expect(await reader.faults()).toEqual([]);
      });

      it('a secret is rotated, a test event sent again, and the endpoint deleted by its name', async () => {
        const customer = await stack.newCustomer();
        const { webhook } = await customer.register(customer.receiver('hooks'));
        const reader = await signedIn(customer, `endpoints/${webhook.id}`);
        const { page } = reader;
        const dialog = page.getByRole('dialog');

        await reader.button('Rotate the secret').click();
        await dialog.getByRole('button', { name: 'Rotate' }).click();
        const secret = (await page.locator('.secret pre').textContent()) ?? '';
        await reader.text(/valid for 23:59:\d\d more/).waitFor();
        await reader.button('Send').click();
        await eventually(async () => {
          await reader.pass(1_000);
          expect(await page.getByText(/^Answered with 200/).count()).toBe(1);
        });
        await reader.follow('endpoints', 'Endpoints');
        expect(await page.content()).not.toContain(secret);
        await page.goBack();
        expect(await page.locator('.secret pre').textContent()).toBe(secret);
        await reader.button('I have stored it').click();
        await page.reload();
        await reader.signIn(customer.apiKey);
        await reader.title('Endpoint');
        await reader.button('Delete').click();
        const remove = dialog.getByRole('button', { name: 'Delete' });
        expect(await remove.isDisabled()).toBe(true);
        await dialog.getByRole('textbox').fill(new URL(webhook.url).host);
        await remove.click();
        await reader.text('No endpoints yet').waitFor();

        expect(secret).toMatch(/^whsec_.{40,}$/);
        expect(await customer.webhooks()).toEqual([]);
        expect(await reader.faults()).toEqual([]);
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
          await reader.pass(60_000);
          expect(await rows.first().textContent()).toMatch(/^delivered\s*run\.completed/);
        });
        await reader.hide(true);
        const before = reader.calls().length;
        await reader.pass(10 * 60_000);
        await reader.follow('deliveries?status=delivered', 'Deliveries');
        const hidden = reader.calls().length;
        await reader.pass(10 * 60_000);
        expect(reader.calls().length).toBe(hidden);
        await reader.hide(false);

        expect(hidden - before).toBeLessThanOrEqual(2);
        await eventually(async () => expect(reader.calls().length).toBe(hidden + 1));
        expect(await reader.faults()).toEqual([]);
      });

      it('the search takes the id of an event, a Run, a delivery and an endpoint, and says so otherwise', async () => {
        const customer = await stack.newCustomer();
        const { webhook } = await customer.register(customer.receiver('other'));
        const { webhook: last, test_delivery: handshake } = await customer.register(
          customer.receiver('hooks'),
        );
        const reader = await signedIn(customer, 'deliveries', 404);
        const { page } = reader;
        const search = page.getByLabel('Find an id');
        const find = async (text: string) => {
          await search.fill(text);
          await search.press('Enter');
        };
        await reader.title('Deliveries');

        await find('abc');
        await reader.text('Search takes the id of an event').waitFor();
        expect(await search.getAttribute('aria-invalid')).toBe('true');
        await find(handshake.event_id);
        await page.waitForURL(`**/console#/deliveries?event_id=${handshake.event_id}`);
        await reader.title('Deliveries');
        expect(await page.locator('.deliveries > li').count()).toBe(1);
        await find('run_1');
        await page.waitForURL('**/console#/deliveries?run_id=run_1');
        await find(handshake.id);
        await page.waitForURL(`**/console#/endpoints/${last.id}/deliveries/${handshake.id}`);
        await reader.title('Delivery');
        await reader.follow('deliveries', 'Deliveries');
        await find(webhook.id);
        await page.waitForURL(`**/console#/endpoints/${webhook.id}`);
        await reader.title('Endpoint');
        await reader.follow('deliveries', 'Deliveries');
        await find(handshake.id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')));
        await reader.text('None of your endpoints has this delivery').waitFor();

        expect(await reader.faults()).toEqual([]);
      });

      it('three failed attempts are on the timeline, and the event is sent again from there', async () => {
        const customer = await stack.newCustomer();
        const { webhook } = await customer.register(
          customer.receiver('hooks', '?fail_first=3&fail_status=503'),
        );
        await customer.settleRun();
        const { id } = await customer.endedDelivery(webhook.id);
        const reader = await signedIn(customer, `deliveries?webhook=${webhook.id}&status=failed`);
        const { page } = reader;

        await page.locator('.deliveries > li').first().click();
        await reader.title('Delivery');
        // Each of the attempts had the same error.
        expect(await page.getByText('The receiver responded with status 503').count()).toBe(1);
        await page.getByRole('link', { name: 'Deliveries', exact: true }).last().click();
        await page.waitForURL(`**/console#/deliveries?webhook=${webhook.id}&status=failed`);
        await page.goBack();
        await reader.title('Delivery');
        expect(await page.locator('.timeline > li.made').count()).toBe(3);
        expect(await page.locator('.timeline strong').allTextContents()).toEqual(
          Array.from({ length: 3 }, () => 'Rejected with 503'),
        );
        expect(await page.locator('.timeline [role=img]').first().getAttribute('aria-label')).toMatch(
          /Waiting for the response [\d.]+ m?s.* of a limit of 10 s/,
        );
        await reader.button('Send again').click();
        await page.getByRole('link', { name: id, exact: true }).waitFor();
        await eventually(async () => {
          await reader.pass(60_000);
          expect(await page.locator('.timeline strong').allTextContents()).toEqual(['Acknowledged with 200']);
        });
        const chain = page.getByRole('region', { name: 'Deliveries of this event' }).getByRole('listitem');
        // The list loads beside the delivery.
        await eventually(async () => {
          expect(await chain.allTextContents()).toEqual([
            expect.stringMatching(/^delivered\s*Replay, this one/),
            expect.stringMatching(new RegExp(`^failed\\s*First delivery${id}`)),
          ]);
        });
        await chain.last().click();
        await page.locator('.timeline strong').nth(2).waitFor();
        await eventually(async () => {
          expect(await chain.first().textContent()).toMatch(/^delivered\s*Replay(?!, this one)/);
        });

        expect(await reader.faults()).toEqual([]);
      });

      it('everything that failed since a time is sent again, after a plan, with its progress', async () => {
        const customer = await stack.newCustomer();
        const { webhook } = await customer.register(customer.receiver('hooks'));
        await storeFailed({ table: stack.table(), customerId: customer.id, now: Date.now() }, webhook.id, 4);
        const reader = await signedIn(customer, `endpoints/${webhook.id}/replays`);
        const { page } = reader;

        await reader.button('Count them').click();
        await page.getByRole('heading', { name: '4 deliveries to send again' }).waitFor();
        await reader.button('Send 4 deliveries again').click();
        await reader.title('Sending again');
        await eventually(async () => {
          await reader.pass(60_000);
          expect(await page.locator('.summary').textContent()).toMatch(/completed.*4 deliveries sent again/);
        });
        await page.getByRole('link', { name: 'See the new deliveries' }).click();
        await reader.title('Deliveries');

        expect(await page.locator('.deliveries > li').count()).toBe(4);
        expect(await customer.received('hooks', 4)).toHaveLength(4);
        expect(await reader.faults()).toEqual([]);
      });
    });

    describe('when the API does not answer as usual', () => {
      it('refreshes slow down before the request limit, and a reader who meets it sees when to go on', async () => {
        const customer = await stack.newCustomer();
        const reader = await open([customer.apiKey], 429);
        await reader.load();
        // Without RateLimit, only Retry-After says how long.
        const refuse = { status: 429, headers: { 'Retry-After': '300' }, body: '{}' };
        await reader.page.route('**/v1/webhooks', (route) => route.fulfill(refuse));
        await reader.signIn(customer.apiKey);
        await reader.text(/The next request is possible in [45]:\d\d/).waitFor();
        const refused = reader.calls().length;
        await reader.pass(2 * minute);
        expect(reader.calls()).toHaveLength(refused);
        await reader.page.unroute('**/v1/webhooks');
        await reader.page.route('**/v1/webhooks', async (route) => {
          const response = await route.fetch();
          const headers = { ...response.headers(), ratelimit: '"default";r=10;t=600' };
          await route.fulfill({ response, headers });
        });
        await reader.pass(4 * minute);
        await reader.text('No endpoints yet').waitFor();
        const before = reader.calls().length;
        await reader.pass(5 * minute);
        expect(reader.calls()).toHaveLength(before);
        await reader.pass(10 * minute);
        await eventually(async () => expect(reader.calls()).toHaveLength(before + 1));

        await Promise.all(Array.from({ length: 60 }, () => customer.request('GET', '/v1/runs')));
        await reader.follow('runs', 'Runs');
        await reader.text('Could not load the Runs').waitFor();
        await reader.text(/The next request is possible in 0:\d\d/).waitFor();
        expect(
          await reader.page
            .getByRole('link', { name: 'What rate_limit_exceeded means' })
            .getAttribute('href'),
        ).toBe(`${apiUrl}/docs/errors/rate_limit_exceeded`);
        await stack.ageRequests(customer, 2 * 60_000);
        // Another function, which has not seen the limit reached.
        await reader.follow('endpoints', 'Endpoints');
        await reader.text('No endpoints yet').waitFor();

        expect(await reader.faults()).toEqual([]);
      });

      it('what was loaded stays while the API is down, and is renewed afterwards', async () => {
        const customer = await stack.newCustomer();
        await customer.register(customer.receiver('hooks'));
        const reader = await open([customer.apiKey], 0);
        const { page } = reader;
        await reader.load();
        await page.route('**/v1/**', (route) => route.abort('connectionrefused'));
        await reader.signIn(customer.apiKey);
        await reader.text('The API does not answer').waitFor();
        await page.unroute('**/v1/**');
        await reader.signIn(customer.apiKey);
        await reader.text('1 of 5 slots used').waitFor();

        await page.route('**/v1/**', (route) => route.abort('connectionrefused'));
        await reader.pass(60_000);
        const note = page.locator('main > .note');
        await note.waitFor();
        expect(await note.textContent()).toMatch(/^The API does not answer/);
        expect(await page.locator('.rows > li').count()).toBe(1);
        await reader.follow('runs', 'Runs');
        await reader.text('Could not load the Runs').waitFor();
        await page.unroute('**/v1/**');
        await reader.button('Try again').click();
        await reader.text('No Runs yet').waitFor();

        expect(await reader.faults()).toEqual([]);
      });
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

      expect(await reader.focused()).toBe('Endpoints');
      await press('Tab');
      expect(await reader.focused()).toBe('Register an endpoint');
      await press('Tab', 'Enter');
      await reader.title('Endpoint');
      expect(await reader.focused()).toBe('Endpoint');
      const rotate = page.getByRole('button', { name: 'Rotate the secret' });
      await rotate.focus();
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
      expect(await reader.focused()).toBe('Rotate the secret');
      await page.getByRole('link', { name: 'Skip to content' }).focus();
      await press('Enter');
      expect(await reader.focused()).toBe('Endpoint');

      expect((await customer.webhook(webhook.id)).previous_secret_expires_at).toBeNull();
      expect(await reader.faults()).toEqual([]);
    });
  },
);
