import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import { publishedFiles } from '../../lib/build/published-files.ts';
import { paletteOf } from '../../lib/settings/brand-colors.ts';
import { brandImages, brandSettings } from '../support/browser/brand.ts';
import { useBrowser } from '../support/browser/browser.ts';
import { lookAt, watchFaults } from '../support/browser/look-at.ts';

const browser = useBrowser();
const types: Readonly<Record<string, string>> = {
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
};
let server: Server;
let host: string;

/** Answers of the API to a reader who has no endpoint. */
const answers: Readonly<Record<string, unknown>> = {
  '/v1/credential': {
    kind: 'api_key',
    customer_id: 'cus_1',
    customer_name: null,
    expires_at: null,
    read_only: false,
  },
  '/v1/webhooks': { items: [], next_cursor: null },
};

beforeAll(async () => {
  const files = await publishedFiles.build(repositoryRoot, {
    name: brandSettings.brandName,
    logo: brandImages['acme.svg'],
    logoDark: brandImages['acme-dark.svg'],
    favicon: brandImages['icon.svg'],
    colors: { light: paletteOf('#0f766e', 'light'), dark: paletteOf('#5eead4', 'dark') },
    supportLink: brandSettings.supportLink,
  });
  server = createServer(({ url = '' }, response) => {
    const path = new URL(url, 'http://localhost').pathname;
    const content = files.get(path.slice(1)) ?? files.get(`${path.slice(1)}.html`);
    const type = types[path.split('.')[1] ?? ''] ?? 'text/html';
    const policy = "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'";
    response.setHeader('Content-Security-Policy', policy);
    if (path in answers) response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answers[path]));
    else response.setHeader('Content-Type', type).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  host = `127.0.0.1:${address.port}`;
});

afterAll(() => server.close());

it('a brand is shown without barriers in the console and the documentation, and loads nothing from elsewhere', async () => {
  const page = await browser().newPage();
  const faults: string[] = [];
  watchFaults(page, host, (fault) => faults.push(fault));
  const logo =
    "(({ alt, naturalWidth, currentSrc }) => [alt, naturalWidth > 0, currentSrc])(document.querySelector('.logo') ?? {})";
  const shows = (file: RegExp) =>
    expect.poll(() => page.evaluate(logo)).toEqual([brandSettings.brandName, true, expect.stringMatching(file)]);
  const accent = () => page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--link').trim()");

  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`http://${host}/console`);
  await shows(/\/logo-[0-9a-f]{12}\.svg$/);
  expect(await page.getByRole('link', { name: 'Support' }).getAttribute('href')).toBe(brandSettings.supportLink);
  expect(await page.title()).toBe(`Sign in · ${brandSettings.brandName}`);
  expect(await accent()).toBe('#0f766e');
  faults.push(...(await lookAt(page, 'brand-sign-in')));
  await page.getByLabel('API key or access token').fill('key_1');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('No endpoints yet').waitFor();
  faults.push(...(await lookAt(page, 'brand-endpoints')));
  await page.emulateMedia({ colorScheme: 'dark' });
  await shows(/\/logo-dark-[0-9a-f]{12}\.svg$/);
  expect(await accent()).toBe('#5eead4');
  await page.goto(`http://${host}/docs/first-event`);
  await shows(/\/logo-dark-[0-9a-f]{12}\.svg$/);
  faults.push(...(await lookAt(page, 'brand-docs')));
  await page.keyboard.press('/');
  await page.keyboard.type('secret');
  await page.getByRole('option', { selected: true }).waitFor();
  faults.push(...(await lookAt(page, 'brand-search')));

  expect(faults).toEqual([]);
});
