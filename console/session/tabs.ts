import type { Account } from '../api/records.ts';

/** The part of `BroadcastChannel` that tabs use: it reaches every other tab of the origin, and no other site. */
type Channel = {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
};

/** The part of `LockManager` that tabs use. A lock ends with its tab, however the tab ends. */
type Locks = {
  query(): Promise<{ readonly held?: readonly { readonly name?: string }[] }>;
  request(name: string, options: { readonly mode: 'shared' }, held: () => Promise<void>): Promise<unknown>;
};

type Ports = {
  readonly channel: Channel;
  readonly locks: Locks;
  /** Address of the API: consoles of two stages may share an origin. */
  readonly address: string;
  /** Resolves when a tab that sleeps need not be waited for any longer. */
  readonly timeout: () => Promise<void>;
};

type Message =
  | { readonly kind: 'ask'; readonly account: string; readonly id: string }
  | { readonly kind: 'answer'; readonly id: string; readonly credential: string }
  | { readonly kind: 'signed-out'; readonly account: string };

/** Where the browser has no channel or allows none, as in a frame of another site, each tab is alone. */
export const alone: Pick<Ports, 'channel' | 'locks'> = {
  channel: { postMessage: () => {}, addEventListener: () => {} },
  locks: { query: async () => ({}), request: async () => {} },
};

/**
 * The other tabs of the console in this browser. New ones get the session, so that a link opens in a new tab without
 * another sign-in. A tab that is signed in holds a lock that names its account, so a new one knows whom to ask, and does
 * not wait where nobody can answer. The credential passes from memory to memory and is stored nowhere.
 */
export class Tabs {
  readonly #ports: Ports;
  readonly #lockPrefix: string;
  /** Who waits for an answer, by the id of the question. */
  readonly #waiting = new Map<string, (credential: string) => void>();
  #offered: { readonly account: Account; readonly credential: string; readonly end: () => void } | null = null;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#lockPrefix = `webhooks-console ${ports.address} `;
    this.#listen((message) => {
      if (message.kind === 'answer') this.#waiting.get(message.id)?.(message.credential);
      if (message.kind !== 'ask' || message.account !== this.#offered?.account.id) return;
      this.#send({ kind: 'answer', id: message.id, credential: this.#offered.credential });
    });
  }

  /** The accounts that tabs are signed in to, each once. */
  async accounts(): Promise<readonly Account[]> {
    const { held = [] } = await this.#ports.locks.query();
    const found = held.flatMap(({ name = '' }) =>
      name.startsWith(this.#lockPrefix) ? [readAccount(name.slice(this.#lockPrefix.length))] : [],
    );
    return [...new Map(found.map((account) => [account.id, account])).values()];
  }

  /** The credential with which another tab is signed in to an account; `null` when none answers. */
  async ask(accountId: string): Promise<string | null> {
    const id = crypto.randomUUID();
    const answer = new Promise<string>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ kind: 'ask', account: accountId, id });
    const credential = await Promise.race([answer, this.#ports.timeout().then(() => null)]);
    this.#waiting.delete(id);
    return credential;
  }

  /** From now on, new tabs get this session. */
  offer(account: Account, credential: string): void {
    this.withdraw();
    const { promise, resolve: end } = Promise.withResolvers<void>();
    this.#offered = { account, credential, end };
    const name = `${this.#lockPrefix}${account.id} ${account.label}`;
    void this.#ports.locks.request(name, { mode: 'shared' }, () => promise);
  }

  /** From now on, they no longer get it. */
  withdraw(): void {
    this.#offered?.end();
    this.#offered = null;
  }

  /** Signs out the other tabs of an account. */
  signOut(accountId: string): void {
    this.#send({ kind: 'signed-out', account: accountId });
  }

  /** @param listener called with the account that another tab signed out of */
  onSignOut(listener: (accountId: string) => void): void {
    this.#listen((message) => {
      if (message.kind === 'signed-out') listener(message.account);
    });
  }

  #send(message: Message): void {
    this.#ports.channel.postMessage({ address: this.#ports.address, ...message });
  }

  #listen(listener: (message: Message) => void): void {
    this.#ports.channel.addEventListener('message', ({ data }) => {
      const message = readMessage(data, this.#ports.address);
      if (message !== null) listener(message);
    });
  }
}

/** An id has no space; a name may have. */
function readAccount(text: string): Account {
  const [id = '', ...label] = text.split(' ');
  return { id, label: label.join(' ') };
}

/** Another release of the console, or another stage, may use the same channel. */
function readMessage(data: unknown, address: string): Message | null {
  if (typeof data !== 'object' || data === null) return null;
  const given: { readonly [name: string]: unknown } = { ...data };
  const { kind, account, id, credential } = given;
  if (given.address !== address) return null;
  if (kind === 'ask' && typeof account === 'string' && typeof id === 'string') return { kind, account, id };
  if (kind === 'answer' && typeof id === 'string' && typeof credential === 'string') return { kind, id, credential };
  return kind === 'signed-out' && typeof account === 'string' ? { kind, account } : null;
}
