import type { Browser, Page } from 'playwright-core';
import * as z from 'zod';
import { lookAt, watchFaults } from './look-at.ts';
import { windowHeight as height } from './looks.ts';

export type Visit = {
  /** After redirects. */
  readonly path: string;
  /** What a reader would notice, or what keeps them out. */
  readonly faults: readonly string[];
  /** Addresses of the page's links, without fragments. */
  readonly links: readonly string[];
};

/** Visits one page after the other in one window, whose cache serves what the pages share. */
export class Visitor {
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
