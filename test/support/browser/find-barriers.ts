import axe from 'axe-core';
import type { Page } from 'playwright-core';
import * as z from 'zod';

export const colorRules = ['color-contrast', 'link-in-text-block'];

const found = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
  /** Pixels by which the page is wider than the window. */
  excess: z.number(),
});

/** Evaluated by the debugger, which the page's Content-Security-Policy does not restrict. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axe.source);
}

/**
 * What keeps readers out of a part of a page: violations that axe finds, and a page that is wider than the window.
 *
 * @param part CSS selector
 * @param options of `axe.run`
 */
export async function findBarriers(page: Page, part: string, options: object): Promise<readonly string[]> {
  // Text, because the types of a page are not those of this program.
  const program = `axe.run('${part}', ${JSON.stringify({ resultTypes: ['violations'], ...options })}).then(({ violations }) => ({
    violations: violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })),
    excess: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  }))`;
  const { violations, excess } = found.parse(await page.evaluate(program));
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`),
    ...(excess > 0 ? [`the page is ${excess} pixels wider than the window`] : []),
  ];
}
