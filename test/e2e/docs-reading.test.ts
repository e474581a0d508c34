import type { Page } from 'playwright-core';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { useBrowser } from '../support/browser/browser.ts';
import { lookAt, watchFaults } from '../support/browser/look-at.ts';
import { windowHeight as height } from '../support/browser/looks.ts';

const { api_url: apiUrl } = inject('stack').info;
const browser = useBrowser();

type Reader = { readonly page: Page; readonly faults: readonly string[] };

/** Opens a page of the documentation in a profile of its own, as a reader who was never here. */
async function read(
  path: string,
  { javaScriptEnabled = true, expected = [] as readonly number[] } = {},
): Promise<Reader> {
  const context = await browser().newContext({ viewport: { width: 1280, height }, javaScriptEnabled });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  watchFaults(page, new URL(apiUrl).host, (fault) => faults.push(fault), expected);
  await page.goto(apiUrl + path);
  return { page, faults };
}

const searchField = (page: Page) => page.getByRole('combobox', { name: 'Search the documentation' });
const chosenResult = (page: Page) => page.getByRole('option', { selected: true });

const codeOf = async (page: Page) => (await page.locator('main code').allTextContents()).join('\n');

describe('a reader of the documentation', () => {
  it('gets a page with the menu for what does not exist, and follows it to the documentation', async () => {
    const { page, faults } = await read('/docs/errors/no/such/page', { expected: [404] });

    expect(await lookAt(page, 'missing-page')).toEqual([]);
    expect(faults).toEqual([]);
    await page.setViewportSize({ width: 1280, height });
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).click();
    expect(page.url()).toBe(`${apiUrl}/docs/index`);
  });

  it('sees the address of this API in each example, and without JavaScript the one of the file', async () => {
    const { page } = await read('/docs/reference');
    const { page: plain } = await read('/docs/reference', { javaScriptEnabled: false });

    expect(await codeOf(page)).toContain(`curl ${apiUrl}/v1/webhooks`);
    expect(await codeOf(page)).not.toContain('https://api.example.com');
    expect(await codeOf(plain)).toContain('curl https://api.example.com/v1/webhooks');
  });

  it('chooses a language by mouse, keyboard or link, and finds it again on the next visit', async () => {
    const { page, faults } = await read('/docs/receive-and-verify');
    const tab = (name: string) => page.getByRole('tab', { name, exact: true });
    const shown = async () => await page.getByRole('tabpanel').locator('h2').allTextContents();

    expect(await shown()).toEqual(['Node.js #']);
    await tab('Go').click();
    await page.reload();
    expect(await shown()).toEqual(['Go #']);
    await tab('Go').press('ArrowRight');
    expect(await shown()).toEqual(['Ruby #']);
    await tab('Ruby').press('End');
    expect(await shown()).toEqual(['Shell #']);
    await page.getByRole('link', { name: 'Flask', exact: true }).first().click();
    expect(await shown()).toEqual(['Python #']);
    expect(await lookAt(page, 'tabs')).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('sees every language without JavaScript', async () => {
    const { page } = await read('/docs/receive-and-verify', { javaScriptEnabled: false });

    expect(await page.getByRole('tab').count()).toBe(0);
    const headings = page.locator('main h2');
    for (const name of ['Node.js', 'Python', 'Go', 'Ruby', 'PHP', 'Java', 'Shell']) {
      expect(await headings.filter({ hasText: name }).first().isVisible()).toBe(true);
    }
  });

  it('searches by keyboard: / begins, arrows choose, Enter opens, Escape leaves', async () => {
    const { page, faults } = await read('/docs/errors/not_found');
    const search = page.waitForRequest(/\/docs\/assets\/search-/);

    await page.keyboard.press('/');
    await page.keyboard.type('rotate secret');
    await search;
    await chosenResult(page).filter({ hasText: 'Rotate the secret' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    const active = await searchField(page).getAttribute('aria-activedescendant');
    expect(await chosenResult(page).getAttribute('id')).toBe(active);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${apiUrl}/docs/retries-and-replay#rotate-the-secret`);
    await page.keyboard.press('/');
    await page.keyboard.type('POST /v1/webhooks');
    await chosenResult(page).filter({ hasText: 'Register an endpoint' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('listbox').isVisible()).toBe(false);
    expect(await searchField(page).inputValue()).toBe('');
    expect(faults).toEqual([]);
  });

  it('searches on a phone, and gets to a result in a hidden tab', async () => {
    const { page } = await read('/docs/receive-and-verify');
    await page.setViewportSize({ width: 390, height });

    await searchField(page).click();
    await searchField(page).fill('flask');
    await page.getByRole('option', { name: /^Flask/ }).click();
    await page.getByRole('heading', { name: 'Flask' }).waitFor();
    expect(await page.getByRole('listbox').isVisible()).toBe(false);
  });

  it('meets no barriers in the search, with results and without', async () => {
    const { page, faults } = await read('/docs/index');

    await searchField(page).fill('webhook');
    await chosenResult(page).waitFor();
    expect(await lookAt(page, 'search')).toEqual([]);
    await searchField(page).fill('xylophone');
    await page.getByText('No results for “xylophone”').waitFor();
    expect(await lookAt(page, 'search-without-results')).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('sees why there is no search, and no field without JavaScript', async () => {
    const { page } = await read('/docs/index');
    const { page: plain } = await read('/docs/index', { javaScriptEnabled: false });

    await page.route(/search-/, (route) => route.abort());
    await searchField(page).click();
    await page.getByText('The search did not load').waitFor();
    expect(await searchField(plain).count()).toBe(0);
  });

  it('sees which section this is, in a list that stays at it', async () => {
    const { page } = await read('/docs/reference');
    const marked = page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current="location"]');

    await page.evaluate("document.getElementById('schemas').scrollIntoView()");
    await expect.poll(() => marked.allTextContents()).toEqual(['Schemas']);
    const { y = -1 } = (await marked.boundingBox()) ?? {};
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(height);
  });
});
