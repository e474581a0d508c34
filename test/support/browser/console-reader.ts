import type { Browser, Page, Request } from 'playwright-core';
import { lookAt, watchFaults } from './look-at.ts';
import { windowHeight as height } from './looks.ts';

type Opening = {
  readonly apiUrl: string;
  /** Credentials that no address may contain. */
  readonly secrets: readonly string[];
  /** Statuses of failed requests that the test causes; `0` is a request without a response. */
  readonly failures: readonly number[];
  /** Language of the browser. */
  readonly locale: string;
};

/** Milliseconds: nearly as long as a test may take, which then could not say what it waited for. */
const timeLimit = 9 * 60_000;

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
      locale: opening.locale,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(timeLimit);
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
    watchFaults(page, host, note, opening.failures);
    page.on('request', (request) => {
      this.#requests.push(request);
      const { referer } = request.headers();
      // The fragment of an address stays in the browser.
      for (const address of [request.url().replace(/#.*/, ''), referer ?? '']) {
        if (this.#hasSecret(address)) note(`a credential in the address ${address}`);
      }
    });
  }

  #hasSecret(text: string): boolean {
    return this.#opening.secrets.some((secret) => decodeURIComponent(text).includes(secret));
  }

  /** The same reader in the tab that opens by what they do. */
  async newTab(act: () => Promise<void>): Promise<ConsoleReader> {
    const [page] = await Promise.all([this.page.context().waitForEvent('page'), act()]);
    page.setDefaultTimeout(timeLimit);
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
    await this.#lookAt(name, true);
  }

  /** Looks only whether the view fits the window: for a state of a view whose parts are in others. */
  async glance(name: string): Promise<void> {
    await this.#lookAt(name, false);
  }

  async #lookAt(name: string, withBarriers: boolean): Promise<void> {
    this.#faults.push(...(await lookAt(this.page, `console-${name}`, withBarriers)));
    await this.page.setViewportSize({ width: 1280, height });
    await this.page.emulateMedia({ colorScheme: 'light' });
  }

  /** What a reader would notice, or must never happen. Closes the window. */
  async faults(): Promise<readonly string[]> {
    const leaks = (await this.history()).filter((address) => this.#hasSecret(address));
    // A request may be on its way through a route of the test.
    await this.page.unrouteAll({ behavior: 'ignoreErrors' });
    await this.page.context().close();
    return [...this.#faults, ...leaks.map((address) => `a credential in the history: ${address}`)];
  }
}
