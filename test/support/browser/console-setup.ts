import { AsyncLocalStorage } from 'node:async_hooks';
import type { Browser } from 'playwright-core';
import { expect, inject, it } from 'vitest';
import type { useStack } from '../stack/stack.ts';
import type { StackCustomer } from '../stack/stack-customer.ts';
import { ConsoleReader } from './console-reader.ts';

/** The readers of the test that runs: those of a file run at once. */
const readers = new AsyncLocalStorage<ConsoleReader[]>();

/** Opens the console of the shared stack for customers of a test. */
export function useConsole(browser: () => Browser, stack: ReturnType<typeof useStack>) {
  const { api_url: apiUrl } = inject('stack').info;
  const open = async (secrets: readonly string[], failures: readonly number[] = [], locale = 'en-US') => {
    const reader = await ConsoleReader.open(browser(), { apiUrl, secrets, failures, locale });
    readers.getStore()?.push(reader);
    return reader;
  };
  return {
    open,
    /** A test, at whose end no reader may have met a fault. */
    it: (title: string, test: () => Promise<void>) =>
      it(title, async () => {
        const opened: ConsoleReader[] = [];
        await readers.run(opened, test);
        for (const reader of opened) expect(await reader.faults()).toEqual([]);
      }),
    /** A reader who has signed in with the key of a customer. */
    signedIn: async ({ apiKey }: StackCustomer, fragment = '', ...failures: readonly number[]) => {
      const reader = await open([apiKey], failures);
      await reader.load(fragment);
      await reader.signIn(apiKey);
      return reader;
    },
    /** Signs in for the tab: every view is then loaded by its link, as after a reload. */
    signedInAsOwner: async ({ apiKey }: StackCustomer, failures: readonly number[] = [], locale?: string) => {
      const reader = await open([apiKey], failures, locale);
      await reader.load();
      await reader.signIn(apiKey, { kept: true });
      await reader.title('Endpoints');
      return reader;
    },
    /** A customer, and where its records are stored. */
    newOwner: async (name = 'Northwind Studio') => {
      const customer = await stack.newCustomer(name);
      return { customer, owned: { table: stack.table(), customerId: customer.id, now: Date.now() } };
    },
  };
}
