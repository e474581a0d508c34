import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page, Request } from 'playwright-core';
import { findBarriers, findExcess, loadAxe } from './find-barriers.ts';
import { windowHeight as height, looks } from './looks.ts';

type Opening = {
  readonly apiUrl: string;
  /** Credentials that no address may contain. */
  readonly secrets: readonly string[];
  /** Statuses of failed requests that the test causes; `0` is a request without a response. */
  readonly failures?: readonly number[];
};

/** Milliseconds: nearly as long as a test may take, which then could not say what it waited for. */
const patience = 9 * 60_000;

/** Somebody at the console, in a window of their own whose messages and requests are watched. */
export class ConsoleReader {
  readonly page: Page;
  readonly #opening: Opening;
  readonly #faults: string[];
  readonly #requests: Request[] = [];

  static async open(browser: Browser, opening: Opening): Promise<ConsoleReader> {
    const context = await browser.newContext({
      viewport: { width: 1280, height },
      colorScheme: 'light',
      timezoneId: 'Europe/Berlin',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    // The clock goes on by itself; a test can move it, so that it need not wait for a refresh.
    await page.clock.install();
    return new ConsoleReader(page, opening);
  }

  private constructor(page: Page, opening: Opening, faults: string[] = []) {
    this.page = page;
    this.#opening = opening;
    this.#faults = faults;
    const { host } = new URL(opening.apiUrl);
    const note = (fault: string) => this.#faults.push(fault);
    page.on('console', (message) => {
      // Each failed request has a message of the browser; the response says more.
      const isAboutRequest = message.text().startsWith('Failed to load resource');
      if (['error', 'warning'].includes(message.type()) && !isAboutRequest)
        note(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => note(`error: ${error.message}`));
    page.on('request', (request) => {
      this.#requests.push(request);
      const { host: asked, protocol } = new URL(request.url());
      if (protocol !== 'data:' && asked !== host) note(`request to another host: ${request.url()}`);
      const { referer } = request.headers();
      // The fragment of an address stays in the browser.
      for (const address of [request.url().replace(/#.*/, ''), referer ?? '']) {
        if (this.#hasSecret(address)) note(`a credential in the address ${address}`);
      }
    });
    page.on('response', (response) => {
      const status = response.status();
      if (status >= 400 && !opening.failures?.includes(status)) note(`${status}: ${response.url()}`);
    });
    page.on('requestfailed', (request) => {
      const text = request.failure()?.errorText ?? '';
      // The console itself ends requests whose results nobody waits for.
      if (text !== 'net::ERR_ABORTED' && !opening.failures?.includes(0)) note(`${text}: ${request.url()}`);
    });
  }

  #hasSecret(text: string): boolean {
    return this.#opening.secrets.some((secret) => decodeURIComponent(text).includes(secret));
  }

  /** The same reader in the tab that opens by what they do. */
  async newTab(act: () => Promise<void>): Promise<ConsoleReader> {
    const [page] = await Promise.all([this.page.context().waitForEvent('page'), act()]);
    page.setDefaultTimeout(patience);
    return new ConsoleReader(page, this.#opening, this.#faults);
  }

  /** Loads the console at a view: `endpoints`. */
  async load(fragment = ''): Promise<void> {
    // Another address with the same path would only change the fragment.
    await this.page.goto('about:blank');
    await this.page.goto(`${this.#opening.apiUrl}/console${fragment === '' ? '' : `#/${fragment}`}`);
  }

  async signIn(key: string, { kept = false } = {}): Promise<void> {
    await this.page.getByLabel('API key or access token').fill(key);
    if (kept) await this.page.getByLabel('Stay signed in').check();
    await this.page.getByRole('button', { name: 'Sign in' }).click();
  }

  /** Loads the console at a view, and waits for it. */
  async open(fragment: string, title: string): Promise<void> {
    await this.load(fragment);
    await this.title(title);
  }

  /** Opens a view as a link within the page does. */
  async follow(fragment: string, title: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(`#/${fragment}`)}`);
    await this.title(title);
  }

  /** Waits for a view by its heading, and until nothing loads. */
  async title(name: string): Promise<void> {
    const heading = this.page.getByRole('heading', { level: 1, name, exact: true });
    await this.page.locator('main:not(:has(.loading))').filter({ has: heading }).waitFor();
  }

  text(text: string | RegExp) {
    return this.page.getByText(text).first();
  }

  button(name: string | RegExp) {
    return this.page.getByRole('button', { name }).first();
  }

  /** Milliseconds pass at once: what is due by then happens. */
  async pass(milliseconds: number): Promise<void> {
    await this.page.clock.fastForward(milliseconds);
  }

  /** Requests to the API so far: `GET /v1/webhooks`. */
  calls(): readonly string[] {
    return this.#requests
      .map((request) => ({ method: request.method(), path: new URL(request.url()).pathname }))
      .filter(({ path }) => path.includes('/v1/'))
      .map(({ method, path }) => `${method} ${path}`);
  }

  /** Files of the page itself that were loaded so far. */
  files(): readonly string[] {
    return this.#requests
      .map((request) => new URL(request.url()).pathname)
      .filter((path) => path.startsWith('/console'));
  }

  /** What the element with the focus says: its label or its text; empty when none has it. */
  async focused(): Promise<string> {
    const program =
      "(({ tagName, ariaLabel, textContent }) => tagName === 'BODY' ? '' : ariaLabel ?? textContent)(document.activeElement)";
    return String(await this.page.evaluate(program)).trim();
  }

  /** Whether the tab is in the background, as the page sees it. */
  async hide(hidden: boolean): Promise<void> {
    await this.page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} });
      document.dispatchEvent(new Event('visibilitychange'))`);
  }

  /** Every address in the history of the window. */
  async history(): Promise<readonly string[]> {
    const session = await this.page.context().newCDPSession(this.page);
    const { entries } = await session.send('Page.getNavigationHistory');
    await session.detach();
    return entries.map(({ url }) => url);
  }

  /** Looks at the view on a desk and on a phone, light and dark: barriers, and whether it fits the window. */
  async look(name: string): Promise<void> {
    await loadAxe(this.page);
    await this.#lookAt(name, () => findBarriers(this.page));
  }

  /** Looks only whether the view fits the window: for a state of a view whose parts are in others. */
  async glance(name: string): Promise<void> {
    await this.#lookAt(name, async () => []);
  }

  async #lookAt(name: string, check: () => Promise<readonly string[]>): Promise<void> {
    for (const { width, scheme } of looks) {
      await this.page.setViewportSize({ width, height });
      await this.page.emulateMedia({ colorScheme: scheme });
      await this.#takePicture(`${name}-${width}-${scheme}`);
      const barriers = [...(await check()), ...(await findExcess(this.page))];
      this.#faults.push(...barriers.map((barrier) => `${name}, ${width} pixels, ${scheme}: ${barrier}`));
    }
    await this.page.setViewportSize({ width: 1280, height });
    await this.page.emulateMedia({ colorScheme: 'light' });
  }

  /** With `SCREENSHOTS=FOLDER` in the environment, each look becomes a picture there. */
  async #takePicture(name: string): Promise<void> {
    const folder = process.env.SCREENSHOTS;
    if (folder === undefined) return;
    await mkdir(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `console-${name}.png`), fullPage: true });
  }

  /** What a reader would notice, or must never happen. Closes the window. */
  async faults(): Promise<readonly string[]> {
    const leaks = (await this.history()).filter((address) => this.#hasSecret(address));
    await this.page.context().close();
    return [...this.#faults, ...leaks.map((address) => `a credential in the history: ${address}`)];
  }
}
