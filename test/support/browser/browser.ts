import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium; `CHROMIUM_PATH` names another one. */
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** Why tests in a browser are skipped on this machine; `null` when they run. */
export const noBrowser: string | null = existsSync(executablePath)
  ? null
  : `${executablePath} does not exist: install Debian's package chromium, or set CHROMIUM_PATH`;

/** Opens a headless browser. Its sandbox needs a user other than root; the tests open only pages of this machine. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
