import { describe, expect, it } from 'vitest';
import { settle, TestBrowser } from './browser.ts';

const acme = { id: 'cus_1', label: 'Acme  Video' };
const other = { id: 'cus_2', label: 'cus_2' };

describe('Tabs', () => {
  it('a new tab learns which accounts are open, each once, and gets the session of the one it asks for', async () => {
    const browser = new TestBrowser();
    browser.open().offer(acme, 'key_1');
    browser.open().offer(acme, 'key_1');
    browser.open().offer(other, 'key_2');
    const tab = browser.open();

    expect(await tab.accounts()).toEqual([acme, other]);
    expect(await tab.ask('cus_2')).toBe('key_2');
  });

  it('a tab that signed out, or in to another account, offers what it shows now', async () => {
    const browser = new TestBrowser();
    const [first, second] = [browser.open(), browser.open()];
    first.offer(acme, 'key_1');
    second.offer(acme, 'key_1');
    first.withdraw();
    second.offer(other, 'key_2');
    await settle();

    expect(await browser.open().accounts()).toEqual([other]);
  });

  it('does not wait for a tab that sleeps, nor for one of another account', async () => {
    const browser = new TestBrowser();
    browser.open().offer(other, 'key_2');

    expect(await browser.open({ timeout: settle() }).ask('cus_1')).toBeNull();
  });

  it('the consoles of two stages of one origin know nothing of each other', async () => {
    const browser = new TestBrowser();
    browser.open({ address: 'https://api.example.com/dev' }).offer(acme, 'key_1');
    const tab = browser.open({ address: 'https://api.example.com/prod', timeout: settle() });

    expect(await tab.accounts()).toEqual([]);
    expect(await tab.ask('cus_1')).toBeNull();
  });
});
