import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import * as z from 'zod';
import { findBarriers, loadAxe } from './find-barriers.ts';

type Look = { readonly width: number; readonly scheme: 'light' | 'dark' };

/** A desk and a phone, each in both schemes. */
const everyLook: readonly Look[] = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);

/** Both widths and both schemes, in half of the time. */
const twoLooks: readonly Look[] = [
  { width: 1280, scheme: 'light' },
  { width: 390, scheme: 'dark' },
];

/** The gate looks at pages in two ways, `EVERY_LOOK=1` in all four. */
const looks = process.env.EVERY_LOOK === '1' ? everyLook : twoLooks;

export type Visit = {
  /** After redirects. */
  readonly path: string;
  /** What a reader would notice: errors of the console, failed requests, requests to other hosts, violations. */
  readonly faults: readonly string[];
  /** Addresses of the page's links, without fragments. */
  readonly links: readonly string[];
};

const height = 900;

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
    const note = (fault: string) => this.#faults.push(fault);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) note(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => note(`error: ${error.message}`));
    page.on('request', (request) => {
      const { host: asked, protocol } = new URL(request.url());
      if (protocol !== 'data:' && asked !== host) note(`request to another host: ${request.url()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) note(`${response.status()}: ${response.url()}`);
    });
  }

  /**
   * Opens a page once and looks at it in each way. With `SCREENSHOTS=FOLDER` in the environment, each look becomes a
   * picture there.
   */
  async visit(url: string): Promise<Visit> {
    this.#faults = [];
    await this.#page.goto(url, { waitUntil: 'load' });
    await loadAxe(this.#page);
    for (const look of looks) this.#faults.push(...(await lookAt(this.#page, look)));
    const path = new URL(this.#page.url()).pathname;
    return { path, faults: this.#faults, links: await linksOf(this.#page) };
  }
}

async function lookAt(page: Page, look: Look): Promise<readonly string[]> {
  const { width, scheme } = look;
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  await takePicture(page, `${width}-${scheme}`);
  const barriers = await findBarriers(page, 'html', {});
  return barriers.map((fault) => `${width} pixels, ${scheme}: ${fault}`);
}

async function linksOf(page: Page): Promise<readonly string[]> {
  const links = z.array(z.string()).parse(await page.evaluate('[...document.links].map(({ href }) => href)'));
  return [...new Set(links.map((link) => link.replace(/#.*/, '')))];
}

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  const path = new URL(page.url()).pathname.replaceAll('/', '_');
  await page.screenshot({ path: join(folder, `${path}-${name}.png`), fullPage: true });
}
