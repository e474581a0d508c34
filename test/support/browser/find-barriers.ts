import axe from 'axe-core';
import type { Page } from 'playwright-core';
import * as z from 'zod';

const violationList = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

/** Evaluated by the debugger, which the page's Content-Security-Policy does not restrict. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axe.source);
}

/** What keeps readers out of a page: violations that axe finds. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  // Text, because the types of a page are not those of this program.
  const program = `axe.run('html', { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`;
  const violations = violationList.parse(await page.evaluate(program));
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  );
}

/** Says by how many pixels a page is wider than the window. */
export async function findExcess(page: Page): Promise<readonly string[]> {
  const program = '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.documentElement)';
  const excess = z.number().parse(await page.evaluate(program));
  return excess > 0 ? [`the page is ${excess} pixels wider than the window`] : [];
}
