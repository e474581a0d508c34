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
});
