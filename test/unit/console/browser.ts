import type { TabStorage } from '../../../console/session/credential.ts';
import { Tabs } from '../../../console/session/tabs.ts';

/** The storage of a tab. */
export function storageOf(): NonNullable<TabStorage> & { readonly values: ReadonlyMap<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

type Listener = (event: { readonly data: unknown }) => void;

/** The channel and the locks that the tabs of one origin share in a browser. */
export class TestBrowser {
  readonly #listeners = new Map<object, Listener[]>();
  readonly #locks = new Map<object, string>();
  readonly messages: unknown[] = [];

  /** @param timeout resolves when a new tab gives up */
  open({ address = 'https://api.example.com', timeout = new Promise<void>(() => {}) } = {}): Tabs {
    const tab = {};
    const listeners: Listener[] = [];
    this.#listeners.set(tab, listeners);
    return new Tabs({
      channel: {
        postMessage: (data) => {
          this.messages.push(data);
          const others = [...this.#listeners].filter(([other]) => other !== tab);
          for (const [, heard] of others) for (const listener of heard) queueMicrotask(() => listener({ data }));
        },
        addEventListener: (_type, listener) => void listeners.push(listener),
      },
      locks: {
        query: async () => ({ held: [...this.#locks.values()].map((name) => ({ name })) }),
        request: async (name, _options, held) => {
          const lock = {};
          this.#locks.set(lock, name);
          await held();
          this.#locks.delete(lock);
        },
      },
      address,
      timeout: () => timeout,
    });
  }
}

/** Until messages have arrived and locks have ended. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
