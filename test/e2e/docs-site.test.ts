import { describe, expect, inject, it } from 'vitest';
import { problemCodeNames } from '#shared/contract/problem-codes.ts';
import { useBrowser } from '../support/browser/browser.ts';
import { Visitor } from '../support/browser/visit-page.ts';

const { api_url: apiUrl } = inject('stack').info;
const pagesAtOnce = 3;

/** The pages of the codes have one template, so the gate looks at three of them, and `EVERY_LOOK=1` at all. */
const skippedCodes = process.env.EVERY_LOOK === '1' ? [] : problemCodeNames.slice(3);
const skipped = new Set(skippedCodes.map((code) => `${apiUrl}/docs/errors/${code}`));

const browser = useBrowser();

/** Follows every link of the documentation, a few pages at once. @returns the faults by page */
async function visitSite(start: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { host } = new URL(start);
  const visitors = await Promise.all(
    Array.from({ length: pagesAtOnce }, () => Visitor.open(browser(), host)),
  );
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
          (link) => link.startsWith(`${apiUrl}/docs`) && !found.includes(link) && !skipped.has(link),
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
