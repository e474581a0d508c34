import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import * as z from 'zod';

export type Look = { readonly width: number; readonly scheme: 'light' | 'dark' };

/** A desk and a phone. */
export const allLooks: readonly Look[] = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);

export type Visit = {
  /** After redirects. */
  readonly path: string;
  /** What a reader would notice: errors of the console, failed requests, requests to other hosts, violations. */
  readonly faults: readonly string[];
  /** Addresses of the page's links, without fragments. */
  readonly links: readonly string[];
};

const height = 900;

/** Rules whose result depends on the colors. The other scheme of the same width differs in nothing else. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** Runs in the page. Text, because the types of a page are not those of this program. */
function findBarriers({ scheme }: Look): string {
  const options = { resultTypes: ['violations'], ...(scheme === 'dark' && { runOnly: colorRules }) };
  return `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => ({
    violations: violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })),
    excess: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  }))`;
}

const found = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
  /** Pixels by which the page is wider than the window. */
  excess: z.number(),
});

/**
 * Opens a page once and looks at it in each way. With `SCREENSHOTS=FOLDER` in the environment, each look becomes a
 * picture there.
 */
export async function visitPage(
  browser: Browser,
  url: string,
  looks: readonly Look[] = allLooks,
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height }, colorScheme: 'light' });
  try {
    const page = await context.newPage();
    const faults = watch(page, new URL(url).host);
    await page.goto(url, { waitUntil: 'load' });
    // Evaluated by the debugger, which the page's Content-Security-Policy does not restrict.
    await page.evaluate(axe.source);
    for (const look of looks) faults.push(...(await lookAt(page, look)));
    return { path: new URL(page.url()).pathname, faults, links: await linksOf(page) };
  } finally {
    await context.close();
  }
}

function watch(page: Page, host: string): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const { host: asked, protocol } = new URL(request.url());
    if (protocol !== 'data:' && asked !== host) faults.push(`request to another host: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`);
  });
  return faults;
}

async function lookAt(page: Page, look: Look): Promise<readonly string[]> {
  const { width, scheme } = look;
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  await takePicture(page, `${width}-${scheme}`);
  const { violations, excess } = found.parse(await page.evaluate(findBarriers(look)));
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`),
    ...(excess > 0 ? [`the page is ${excess} pixels wider than the window`] : []),
  ].map((fault) => `${width} pixels, ${scheme}: ${fault}`);
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
