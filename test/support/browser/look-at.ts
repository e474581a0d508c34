import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import * as z from 'zod';
import { windowHeight as height, looksAt } from './looks.ts';

const violationList = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

/** Once for each load, evaluated by the debugger, which the page's Content-Security-Policy does not restrict. */
async function loadAxe(page: Page): Promise<void> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
}

/** What keeps readers out of a page: violations that axe finds. */
async function findBarriers(page: Page): Promise<readonly string[]> {
  // Text, because the types of a page are not those of this program. No page has media that axe would load.
  const program = `axe.run('html', { resultTypes: ['violations'], preload: false }).then(({ violations }) =>
    violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`;
  const violations = violationList.parse(await page.evaluate(program));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

/** By as many pixels, the padding of code within a text may stand out. */
const padding = 8;

/** Says by how many pixels a page is wider than the window, and which of its texts lie over what is beside them. */
async function findExcess(page: Page): Promise<readonly string[]> {
  const program = `(() => {
    const excessOf = ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth;
    const isShort = (element) => element.clientWidth > 0 && getComputedStyle(element).overflowX === 'visible';
    const texts = [...document.querySelectorAll('main *')].filter((element) => isShort(element) && excessOf(element) > ${padding});
    return [excessOf(document.documentElement), texts.map(({ outerHTML }) => outerHTML.slice(0, 120))];
  })()`;
  const [excess, texts] = z.tuple([z.number(), z.array(z.string())]).parse(await page.evaluate(program));
  return [
    ...(excess > 0 ? [`the page is ${excess} pixels wider than the window`] : []),
    ...texts.map((text) => `wider than its place: ${text}`),
  ];
}

/**
 * Looks at a page in each way: barriers, unless only its width is of interest, and whether it fits the window. With
 * `SCREENSHOTS=FOLDER` in the environment, each look becomes a picture there.
 */
export async function lookAt(page: Page, name: string, withBarriers = true): Promise<readonly string[]> {
  if (withBarriers) await loadAxe(page);
  const faults: string[] = [];
  for (const look of looksAt(name)) {
    const { width, scheme } = look;
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme });
    await takePicture(page, `${name}-${width}-${scheme}`);
    const barriers = withBarriers && look.withBarriers ? await findBarriers(page) : [];
    const found = [...barriers, ...(await findExcess(page))];
    faults.push(...found.map((fault) => `${name}, ${width} pixels, ${scheme}: ${fault}`));
  }
  return faults;
}

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/**
 * Notes what a reader would notice: errors of the console, failed requests, and requests to other hosts.
 *
 * @param expected statuses of failed requests that are no fault; `0` is a request without a response
 */
export function watchFaults(
  page: Page,
  host: string,
  note: (fault: string) => void,
  expected: readonly number[] = [],
): void {
  page.on('console', (message) => {
    // Each failed request has a message of the browser; the response says more.
    const isAboutRequest = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isAboutRequest) note(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => note(`error: ${error.message}`));
  page.on('request', (request) => {
    const { host: asked, protocol } = new URL(request.url());
    if (protocol !== 'data:' && asked !== host) note(`request to another host: ${request.url()}`);
  });
  page.on('response', (response) => {
    const status = response.status();
    if (status >= 400 && !expected.includes(status)) note(`${status}: ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    const text = request.failure()?.errorText ?? '';
    // A page may end requests whose results nobody waits for.
    if (text !== 'net::ERR_ABORTED' && !expected.includes(0)) note(`${text}: ${request.url()}`);
  });
}
