import type { Browser, Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { problemCodeNames } from '#shared/contract/problem-codes.ts';
import { useBrowser } from '../support/browser/browser.ts';
import { lookAt, watchFaults } from '../support/browser/look-at.ts';
import { windowHeight as height } from '../support/browser/looks.ts';

type Visit = {
  /** After redirects. */
  readonly path: string;
  /** What a reader would notice, or what keeps them out. */
  readonly faults: readonly string[];
  /** Addresses of the page's links, without fragments. */
  readonly links: readonly string[];
};

/** Visits one page after the other in one window, whose cache serves what the pages share. */
class Visitor {
  readonly #page: Page;
  #faults: string[] = [];

  static async open(browser: Browser, host: string): Promise<Visitor> {
    const context = await browser.newContext({ viewport: { width: 1280, height }, colorScheme: 'light' });
    return new Visitor(await context.newPage(), host);
  }

  private constructor(page: Page, host: string) {
    this.#page = page;
    watchFaults(page, host, (fault) => this.#faults.push(fault));
  }

  /** Opens a page once and looks at it in each way. */
  async visit(url: string): Promise<Visit> {
    this.#faults = [];
    await this.#page.goto(url, { waitUntil: 'load' });
    const path = new URL(this.#page.url()).pathname;
    this.#faults.push(...(await lookAt(this.#page, path.replaceAll('/', '_'))));
    return { path, faults: this.#faults, links: await linksOf(this.#page) };
  }
}

async function linksOf(page: Page): Promise<readonly string[]> {
  const links = z.array(z.string()).parse(await page.evaluate('[...document.links].map(({ href }) => href)'));
  return [...new Set(links.map((link) => link.replace(/#.*/, '')))];
}

const { api_url: apiUrl } = inject('stack').info;
const pagesAtOnce = 3;

/** The pages of the codes have one template, so the gate looks at three of them, and `EVERY_LOOK=1` at all. */
const skippedCodes = process.env.EVERY_LOOK === '1' ? [] : problemCodeNames.slice(3);
const skipped = new Set(skippedCodes.map((code) => `${apiUrl}/docs/errors/${code}`));

const browser = useBrowser();

/** Follows every link of the documentation, a few pages at once. @returns the faults by page */
async function visitSite(start: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { host } = new URL(start);
  const visitors = await Promise.all(Array.from({ length: pagesAtOnce }, () => Visitor.open(browser(), host)));
  const faults = new Map<string, readonly string[]>();
  const found = [start];
  for (let begun = 0; begun < found.length; ) {
    const urls = found.slice(begun, begun + pagesAtOnce);
    begun += urls.length;
    const visits = urls.map((url, index) => visitors[index]?.visit(url));
    for (const visited of await Promise.all(visits)) {
      if (visited === undefined) continue;
      faults.set(visited.path, visited.faults);
      found.push(
        ...visited.links.filter(
          (link) =>
            link.startsWith(`${apiUrl}/docs`) && !link.endsWith('.md') && !found.includes(link) && !skipped.has(link),
        ),
      );
    }
  }
  return faults;
}

describe('the documentation in a browser', () => {
  it('every page is free of errors, of requests to other hosts and of barriers, on a desk and on a phone, light and dark', async () => {
    const faults = await visitSite(`${apiUrl}/docs`);

    expect([...faults].filter(([, found]) => found.length > 0)).toEqual([]);
    expect([...faults.keys()]).toEqual(
      expect.arrayContaining(
        problemCodeNames.filter((code) => !skippedCodes.includes(code)).map((code) => `/docs/errors/${code}`),
      ),
    );
  });
});
