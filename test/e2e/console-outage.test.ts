import { readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import * as z from 'zod';
import { useBrowser } from '../support/browser/browser.ts';
import {
  storeAttempted,
  storeEndpoint,
  storeFailed,
  unavailable,
  waitingAt,
} from '../support/browser/console-history.ts';
import { useConsole } from '../support/browser/console-setup.ts';
import { eventually } from '../support/stack/eventually.ts';
import { useStack } from '../support/stack/stack.ts';
import { hour, minute } from '../support/values/builders.ts';

const { it, signedIn, signedInAsOwner, newOwner } = useConsole(useBrowser(), useStack());

const url = 'https://hooks.northwind.example/runs';

/** A customer with an endpoint at which a number of deliveries failed. */
async function newFailing(count: number) {
  const { customer, owned } = await newOwner();
  const failing = await storeEndpoint(owned, { url });
  return { customer, owned, failing, ids: await storeFailed(owned, failing, count) };
}

describe('the console when deliveries fail', { concurrent: true }, () => {
  it('a resend does not change how the day went, and is counted apart', async () => {
    const { customer, owned, failing, ids } = await newFailing(3);
    for (const replayOf of ids) await storeAttempted(owned, { ...waitingAt(failing), replayOf });
    const reader = await signedIn(customer, `endpoints/${failing}`);
    const figures = reader.page.getByRole('region', { name: 'Figures' });

    await reader.title('Endpoint');
    expect(await figures.locator('dd').allTextContents()).toEqual([
      '0 % of 3 that ended',
      'half within 212 ms, 95 of 100 within 212 ms',
      'Connection failed: 3 attempts · Rejected with 503: 3 attempts · Timed out: 3 attempts',
      '3 pending',
    ]);
    await reader.look('endpoint-resent');
  });

  it('a first screen has 20 deliveries, which differ by response, id and time, and says each error once', async () => {
    const { customer, owned, failing } = await newFailing(22);
    const waiting = await storeAttempted(owned, waitingAt(failing));
    const reader = await signedIn(customer, 'deliveries');
    const { page } = reader;
    const rows = page.locator('.deliveries > li');
    await reader.title('Deliveries');
    // The list does not wait for the URLs of its endpoints.
    await rows.first().getByText(url).waitFor();

    expect(await rows.first().textContent()).toMatch(
      /^retrying · 503run\.completedrun_….{6}https:\/\/hooks\.northwind\.example\/runsnext in [\d:]+\d\d:\d\d:\d\d$/,
    );
    expect(new Set(await page.locator('.subject-id').allTextContents()).size).toBe(23);
    const bottoms = z
      .array(z.number())
      .parse(
        await page.evaluate(
          "[...document.querySelectorAll('.deliveries > li')].map((row) => row.getBoundingClientRect().bottom)",
        ),
      );
    expect(bottoms.filter((bottom) => bottom <= 900).length).toBeGreaterThanOrEqual(20);
    expect(await page.locator('.reasons li').allTextContents()).toEqual([
      expect.stringMatching(/^connection × 22 The receiver refused the connection/),
      expect.stringMatching(/^503 × 1 The receiver responded with status 503/),
    ]);
    expect(await rows.nth(5).locator('time').getAttribute('title')).toMatch(/^3 h ago · /);
    await reader.look('deliveries-failing');
    await page.getByLabel('Status').selectOption('Retrying');
    await page.waitForURL('**/console#/deliveries?status=retrying');
    await eventually(async () => expect(await rows.count()).toBe(1));
    expect(await rows.locator('a').getAttribute('href')).toBe(`#/endpoints/${failing}/deliveries/${waiting}`);
    await reader.follow(`deliveries?webhook=${failing}`, 'Deliveries');
    expect(await rows.first().locator('.url').count()).toBe(0);
  });

  it('Back from a delivery leads to the same place of the same pages, and Next goes on in the list', async () => {
    const { customer, failing, ids } = await newFailing(60);
    const reader = await signedIn(customer, 'deliveries?status=failed');
    const { page } = reader;
    const rows = page.locator('.deliveries > li');
    const scrolled = async () => Number(await page.evaluate('scrollY'));
    const delivery = (index: number) => `**/console#/endpoints/${failing}/deliveries/${ids[index]}`;
    await reader.title('Deliveries');
    await reader.button('Load older deliveries').click();
    await eventually(async () => expect(await rows.count()).toBe(50));
    await rows.nth(40).scrollIntoViewIfNeeded();
    const before = await scrolled();
    expect(before).toBeGreaterThan(300);

    await rows.nth(40).click();
    await page.waitForURL(delivery(40));
    await reader.title('Delivery');
    await page.goBack();
    await reader.title('Deliveries');
    expect(await rows.count()).toBe(50);
    expect(Math.abs((await scrolled()) - before)).toBeLessThan(3);
    expect(await page.evaluate('document.activeElement.id')).toBe(ids[40]);

    await rows.nth(49).click();
    await reader.title('Delivery');
    const next = page.getByRole('link', { name: 'Next' });
    await next.click();
    await page.waitForURL(delivery(50));
    await reader.look('delivery-in-list');
    await page.getByRole('link', { name: 'Previous' }).click();
    await page.waitForURL(delivery(49));
    await next.click();
    await page.getByText(ids[50] ?? '').waitFor();
    await page.goBack();
    await reader.title('Deliveries');
    expect(page.url()).toMatch(/#\/deliveries\?status=failed$/);
    expect(await rows.count()).toBe(60);
    expect(await page.evaluate('document.activeElement.id')).toBe(ids[50]);
    // Another way to the list begins at its top.
    await reader.follow('runs', 'Runs');
    await reader.follow('deliveries?status=failed', 'Deliveries');
    expect(await rows.count()).toBe(25);
    await reader.follow(`endpoints/${failing}/deliveries/${ids[59]}`, 'Delivery');
    expect(await next.count()).toBe(0);
  });

  it('the focus stays at the end of a list, and Next ends where a rare filter finds nothing more', async () => {
    const { customer, ids } = await newFailing(30);
    const reader = await signedIn(customer, 'deliveries?status=failed');
    const { page } = reader;
    const rows = page.locator('.deliveries > li');
    await reader.title('Deliveries');

    await reader.button('Load older deliveries').focus();
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await rows.count()).toBe(30));
    expect(await page.evaluate('document.activeElement.id')).toBe(ids[24]);
    let reads = 0;
    await page.route('**/v1/deliveries?*cursor=*', async (route) => {
      reads += 1;
      await route.fulfill({ json: { items: [], next_cursor: `${reads}` } });
    });
    await reader.follow('runs', 'Runs');
    await reader.follow('deliveries?status=failed', 'Deliveries');
    await rows.nth(24).click();
    await reader.title('Delivery');
    await eventually(async () => expect(reads).toBeGreaterThanOrEqual(4));
    await page.goBack();
    await reader.title('Deliveries');
    expect(reads).toBe(4);
  });

  it('the failed deliveries that are ticked are resent together', async () => {
    const { customer, owned, failing } = await newFailing(4);
    await storeAttempted(owned, waitingAt(failing));
    const reader = await signedIn(customer, `deliveries?webhook=${failing}`);
    const { page } = reader;
    const ticks = page.getByRole('checkbox');
    await reader.title('Deliveries');
    expect(await ticks.count()).toBe(4);
    expect(await reader.button(/^Resend/).count()).toBe(0);

    await ticks.nth(0).check();
    await ticks.nth(1).check();
    await ticks.nth(2).check();
    await ticks.nth(1).uncheck();
    await reader.look('deliveries-ticked');
    // What is ticked stays in sight, however many come meanwhile, until the reader asks for these.
    await page.clock.pauseAt(Date.now() + minute);
    const newer = await storeFailed({ ...owned, now: owned.now + 3 * hour }, failing, 26);
    await reader.pass(minute);
    await reader.button('Show the newest deliveries').waitFor();
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2);
    await reader.button('Resend 2 deliveries').waitFor();
    await reader.button('Show the newest deliveries').click();
    await eventually(async () => expect(await ticks.count()).toBeGreaterThan(4));
    expect(await reader.button(/^Resend/).count()).toBe(0);
    await ticks.nth(0).check();
    await ticks.nth(2).check();
    await page.clock.resume();
    await reader.button('Resend 2 deliveries').click();
    await reader.title('Resend');
    await page.getByText(/^2 resent: /).waitFor();
    const { body } = await customer.request('GET', `/v1/webhooks/${failing}/replays`);
    expect(body).toMatchObject({
      items: [{ deliveries: { status: 'failed', delivery_ids: [newer[0], newer[2]] } }],
    });

    await reader.follow('deliveries', 'Deliveries');
    expect(await ticks.count()).toBe(0);
  });

  it('what is filtered is saved as CSV and JSON, over all of its pages', async () => {
    const { customer, owned, failing, ids } = await newFailing(130);
    await storeAttempted(owned, waitingAt(failing));
    const reader = await signedIn(customer, `deliveries?webhook=${failing}&status=failed`);
    const { page } = reader;
    await reader.title('Deliveries');
    const saved = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Save as ${name}` }).click(),
      ]);
      return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')] as const;
    };

    const [csvName, csv] = await saved('CSV');
    const [jsonName, json] = await saved('JSON');

    const missing = reader.text(/Older ones that match may be missing/);
    expect(await missing.count()).toBe(0);
    const endless = { items: [], next_cursor: 'more' };
    await page.route('**/deliveries?*limit=100*', (route) => route.fulfill({ body: JSON.stringify(endless) }));
    await saved('CSV');
    await missing.waitFor();
    await reader.look('deliveries-saved');
    const [names = '', ...lines] = csv.trimEnd().split('\r\n');
    expect([csvName, jsonName]).toEqual(['deliveries.csv', 'deliveries.json']);
    expect(names).toMatch(/^id,webhook_id,event_id,/);
    expect(lines.map((line) => line.slice(0, line.indexOf(',')))).toEqual(ids);
    expect(
      z
        .array(z.looseObject({ id: z.string() }))
        .parse(JSON.parse(json))
        .map(({ id }) => id),
    ).toEqual(ids);
  });

  it('times are in UTC when the reader asks, also after a reload', async () => {
    const { customer, owned } = await newOwner();
    const webhookId = await storeEndpoint(owned, { url });
    const createdAt = Date.UTC(2026, 6, 1, 9, 5, 7);
    await storeAttempted(owned, { webhookId, createdAt, results: [unavailable, unavailable, unavailable] });
    const reader = await signedInAsOwner(customer);
    const { page } = reader;
    const time = page.locator('.deliveries time');

    await reader.open('deliveries', 'Deliveries');
    expect(await time.textContent()).toBe('Jul 1, 11:05:07');
    await page.getByRole('button', { name: 'Show UTC' }).first().click();
    expect(await time.textContent()).toBe('Jul 1, 09:05:07');
    await reader.text('Times and days are in UTC').waitFor();
    await page.reload();
    await reader.title('Deliveries');
    expect(await time.textContent()).toBe('Jul 1, 09:05:07');
    // So is a time that they type: in Berlin, this one is before the delivery.
    await reader.open(`endpoints/${webhookId}/replays`, 'Resend what failed');
    await page.getByLabel('Failed deliveries that were created').selectOption('Custom time…');
    await page.getByLabel('Since (in').fill('2026-07-01T10:00');
    await reader.button('Count them').click();
    await reader.text(/created since Jul 1, 2026, 10:00:00 UTC/).waitFor();
    await reader.open('deliveries', 'Deliveries');
    await page.getByRole('button', { name: 'Show Europe/Berlin' }).first().click();
    expect(await time.textContent()).toBe('Jul 1, 11:05:07');
    expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}');
  });

  it('on a phone, the filters are behind a button that counts them', async () => {
    const { customer, failing } = await newFailing(3);
    const reader = await signedIn(customer, `deliveries?webhook=${failing}&status=failed`);
    const { page } = reader;
    const status = page.getByLabel('Status');
    await reader.title('Deliveries');
    expect(await page.getByRole('button', { name: 'Filters' }).isVisible()).toBe(false);
    await page.setViewportSize({ width: 390, height: 844 });

    const filters = page.getByRole('button', { name: 'Filters (2)' });
    expect(await status.isVisible()).toBe(false);
    const { y = 999 } = (await page.locator('.deliveries > li').first().boundingBox()) ?? {};
    expect(y).toBeLessThan(420);
    await filters.click();
    await status.selectOption('Any status');
    await page.getByRole('button', { name: 'Filters (1)' }).click();
    expect(await status.isVisible()).toBe(false);
  });
});
