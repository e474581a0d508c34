import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';

/** Debian's Chromium; `CHROMIUM_PATH` names another one. */
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** One browser for the tests of a file, which are skipped on a machine without one. */
export function useBrowser(): () => Browser {
  const isHere = existsSync(executablePath);
  let browser: Browser | undefined;
  beforeAll(async () => {
    // Its sandbox needs a user other than root; the tests open only pages of this machine.
    if (isHere) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  beforeEach(({ skip }) =>
    skip(
      !isHere,
      `${executablePath} does not exist: install Debian's package chromium, or set CHROMIUM_PATH to a Chromium`,
    ),
  );
  afterAll(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('The browser has not started');
    return browser;
  };
}
