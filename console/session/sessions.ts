import type { Api } from '../api/client.ts';
import { type Failure, failureOf, isRefused, summaryOf } from '../api/failure.ts';
import { type Account, accountOf, type Credential } from '../api/records.ts';
import type { Route } from '../routing/route.ts';
import { forget, type Given, keep, type Link, readKept, type TabStorage } from './credential.ts';
import type { Tabs } from './tabs.ts';

export type SignedOut = {
  readonly signedIn: false;
  /** Whether a credential of a link, of this tab or of another tab is tried: the reader does not have to type one. */
  readonly resuming: boolean;
  /** Why the reader has to sign in again. */
  readonly reason: string | null;
  readonly failure: Failure | null;
  readonly busy: boolean;
};

/** What to say or ask about a link that the reader followed. */
export type LinkNote =
  | { readonly kind: 'refused'; readonly reason: string }
  /** The link is of another account than the tab, or the other tabs, show. */
  | { readonly kind: 'switch'; readonly from: readonly Account[]; readonly to: Account };

export type SessionState = {
  readonly session: SignedOut | { readonly signedIn: true; readonly api: Api; readonly caller: Credential };
  readonly note: LinkNote | null;
};

type Ports = {
  /** @param onRefused called when the API no longer accepts the credential */
  readonly connect: (credential: string, onRefused: (failure: Failure) => void) => Api;
  /** @throws RequestFailed */
  readonly readCaller: (api: Api) => Promise<Credential>;
  readonly storage: TabStorage;
  readonly tabs: Tabs;
  readonly onState: (state: SessionState) => void;
  /** Names a view in the address, in place of the one that is there. */
  readonly openView: (route: Route) => void;
};

/** A credential that the API has accepted. */
type Opened = { readonly given: Given; readonly api: Api; readonly caller: Credential };

/** What a link opens, and the view that it names. */
type Offered = { readonly opened: Opened; readonly to: Route | null };

const signedOut: SignedOut = { signedIn: false, resuming: false, reason: null, failure: null, busy: false };

/** Before the first of the methods below has a result. */
export const beforeSignIn: SessionState = {
  session: { ...signedOut, resuming: true, busy: true },
  note: null,
};

/** Who uses this tab: by a portal link, by what this tab or another one knows, or by the sign-in form. */
export class Sessions {
  readonly #ports: Ports;
  #state = beforeSignIn;
  #current: Opened | null = null;
  /** What a question about a link is about. */
  #offered: Offered | null = null;
  #again: () => Promise<void> = () => this.resume();
  /** Counts sign-ins and sign-outs, so that a late response of an earlier credential changes nothing. */
  #turn = 0;

  constructor(ports: Ports) {
    this.#ports = ports;
    ports.tabs.onSignOut((accountId) => {
      if (this.#current?.caller.customer_id === accountId) this.#leave('You signed out in another tab.');
    });
  }

  /** Signs in with what this tab keeps, or else as the other tabs, if all of them are signed in to one account. */
  async resume(): Promise<void> {
    const kept = readKept(this.#ports.storage);
    if (kept !== null) return await this.#try({ credential: kept, keeping: 'tab' }, true);
    const turn = this.#begin(true, () => this.resume());
    const { tabs } = this.#ports;
    const [account, ...others] = await tabs.accounts();
    const isOne = account !== undefined && others.length === 0;
    const credential = isOne ? await tabs.ask(account.id) : null;
    if (turn !== this.#turn) return;
    if (credential !== null) return await this.#try({ credential, keeping: 'memory' }, true);
    const reason = others.length === 0 ? null : 'Your other tabs show several accounts. Sign in to one here.';
    this.#show({ ...signedOut, reason });
  }

  /** Opens a link: at once, unless another account is open here or in another tab. */
  async follow(link: Link): Promise<void> {
    if (link.kind === 'refused') return await this.#refuse(link.reason);
    const given: Given = { credential: link.credential, keeping: 'tab' };
    const turn = this.#current === null ? this.#begin(true, () => this.follow(link)) : this.#turn;
    try {
      const opened = await this.#open(given);
      const from = await this.#accounts();
      if (turn !== this.#turn) return;
      const to = accountOf(opened.caller);
      if (from.every(({ id }) => id === to.id)) return this.#enter(opened, link.to);
      this.#offered = { opened, to: link.to };
      this.#note({ kind: 'switch', from, to });
    } catch (thrown) {
      if (turn !== this.#turn) return;
      const failure = failureOf(thrown);
      const isKept = readKept(this.#ports.storage) !== null;
      if (this.#current === null && !(isKept && isRefused(failure))) return this.#fail(failure, true);
      await this.#refuse(`The link could not be opened. ${summaryOf(failure)}`);
    }
  }

  /** The reader's answer to the note about a link. */
  async answer(isYes: boolean): Promise<void> {
    const offered = this.#offered;
    const isQuestion = this.#state.note?.kind === 'switch';
    this.#offered = null;
    this.#note(null);
    // The view that is open may be about something of the other account.
    if (isYes && offered !== null) this.#enter(offered.opened, offered.to ?? { view: 'endpoints' });
    else if (isQuestion && this.#current === null) await this.resume();
  }
  signIn(given: Given): Promise<void> {
    return this.#try(given, false);
  }
  retry(): Promise<void> {
    return this.#again();
  }

  /** Signs out of the account in every tab. */
  signOut(): void {
    const accountId = this.#current?.caller.customer_id;
    this.#leave(null);
    if (accountId !== undefined) this.#ports.tabs.signOut(accountId);
  }

  async #try(given: Given, resuming: boolean): Promise<void> {
    const turn = this.#begin(resuming, () => this.#try(given, resuming));
    try {
      const opened = await this.#open(given);
      if (turn === this.#turn) this.#enter(opened);
    } catch (thrown) {
      if (turn === this.#turn) this.#fail(failureOf(thrown), resuming);
    }
  }

  async #open(given: Given): Promise<Opened> {
    const { connect, readCaller } = this.#ports;
    const api = connect(given.credential, (failure) => {
      if (this.#current?.api === api) this.#leave(`You were signed out. ${summaryOf(failure)}`);
    });
    return { given, api, caller: await readCaller(api) };
  }

  /** What a link must not replace without a question: the account of this tab, or else those of the other tabs. */
  async #accounts(): Promise<readonly Account[]> {
    if (this.#current !== null) return [accountOf(this.#current.caller)];
    const { storage, tabs } = this.#ports;
    const kept = readKept(storage);
    if (kept === null) return await tabs.accounts();
    try {
      return [accountOf((await this.#open({ credential: kept, keeping: 'tab' })).caller)];
    } catch (thrown) {
      if (!isRefused(failureOf(thrown))) throw thrown;
      forget(storage);
      return await tabs.accounts();
    }
  }

  async #refuse(reason: string): Promise<void> {
    this.#note({ kind: 'refused', reason });
    if (this.#current === null) await this.resume();
  }

  #begin(resuming: boolean, again: () => Promise<void>): number {
    this.#turn += 1;
    this.#again = again;
    this.#show({ ...signedOut, resuming, busy: true });
    return this.#turn;
  }

  #enter(opened: Opened, to: Route | null = null): void {
    const { storage, tabs } = this.#ports;
    const { given, api, caller } = opened;
    this.#turn += 1;
    this.#current = opened;
    keep(storage, given);
    tabs.offer(accountOf(caller), given.credential);
    if (to !== null) this.#ports.openView(to);
    this.#show({ signedIn: true, api, caller });
  }

  #leave(reason: string | null): void {
    const { storage, tabs } = this.#ports;
    this.#turn += 1;
    this.#current = null;
    forget(storage);
    tabs.withdraw();
    this.#show({ ...signedOut, reason });
  }

  /** While the API does not answer, a link or a kept credential is not lost: the reader can try again. */
  #fail(failure: Failure, resuming: boolean): void {
    const isOver = isRefused(failure);
    if (isOver) forget(this.#ports.storage);
    this.#show({ ...signedOut, resuming: resuming && !isOver, failure });
  }

  #show(session: SessionState['session']): void {
    this.#state = { ...this.#state, session };
    this.#ports.onState(this.#state);
  }

  #note(note: LinkNote | null): void {
    this.#state = { ...this.#state, note };
    this.#ports.onState(this.#state);
  }
}
