import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';

/** Of Debian's packages. The headless shell has no window to draw, and takes half as much of the processor. */
const places = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const executablePath = process.env.CHROMIUM_PATH ?? places.find((path) => existsSync(path));

/** One browser for the tests of a file, which are skipped on a machine without one. */
export function useBrowser(): () => Browser {
  const isHere = executablePath !== undefined && existsSync(executablePath);
  let browser: Browser | undefined;
  beforeAll(async () => {
    // Its sandbox needs a user other than root; the tests open only pages of this machine.
    if (isHere) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  beforeEach(({ skip }) =>
    skip(
      !isHere,
      "No Chromium is here: install Debian's package chromium-headless-shell, or set CHROMIUM_PATH to a Chromium",
    ),
  );
  afterAll(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('The browser has not started');
    return browser;
  };
}
