import { describe, expect, it } from 'vitest';
import { type Api, connectApi } from '../../../console/api/client.ts';
import { type Failure, problemFailure, RequestFailed } from '../../../console/api/failure.ts';
import type { Route } from '../../../console/routing/route.ts';
import type { Link } from '../../../console/session/credential.ts';
import { beforeSignIn, Sessions } from '../../../console/session/sessions.ts';
import { settle, storageOf, TestBrowser } from './browser.ts';

const refusal = problemFailure(new Response(null, { status: 401 }), {
  code: 'key_revoked',
  title: 'Revoked',
});

/** An API that knows some credentials, each by the customer it acts for. */
function openWorld() {
  const customers = new Map([
    ['key_acme', 'cus_acme'],
    ['ptl_acme', 'cus_acme'],
    ['ptl_other', 'cus_other'],
    ['key_other', 'cus_other'],
  ]);
  const failing = new Map<string, Failure>();
  const held = new Map<string, Promise<void>>();
  const browser = new TestBrowser();
  const world = { customers, failing, held, browser };
  return { ...world, openTab: (kept?: string) => openTab(world, kept) };
}

type World = {
  readonly customers: ReadonlyMap<string, string>;
  readonly failing: ReadonlyMap<string, Failure>;
  /** When the API answers about a credential; at once by default. */
  readonly held: ReadonlyMap<string, Promise<void>>;
  readonly browser: TestBrowser;
};

function openTab({ customers, failing, held, browser }: World, kept?: string) {
  const storage = storageOf();
  if (kept !== undefined) storage.setItem('webhooks-console-credential', kept);
  const credentials = new Map<Api, string>();
  const refusals: ((failure: Failure) => void)[] = [];
  const opened: (readonly [view: string, isSignedIn: boolean])[] = [];
  let state = beforeSignIn;
  const sessions = new Sessions({
    connect: (credential, onRefused) => {
      const api = connectApi('https://api.example.com', credential, onRefused);
      credentials.set(api, credential);
      refusals.push(onRefused);
      return api;
    },
    readCaller: async (api) => {
      const credential = credentials.get(api) ?? '';
      await held.get(credential);
      const id = customers.get(credential);
      const failure = failing.get(credential) ?? (id === undefined ? refusal : null);
      if (failure !== null || id === undefined) throw new RequestFailed(failure ?? refusal);
      const own = { id: credential, kind: 'api_key', customer_id: id, customer_name: null } as const;
      return { ...own, expires_at: null, read_only: false };
    },
    storage,
    tabs: browser.open(),
    onState: (next) => {
      state = next;
    },
    openView: (route) => void opened.push([route.view, state.session.signedIn]),
  });
  return {
    sessions,
    kept: () => [...storage.values.values()],
    /** The customer whose data the tab shows; `null` before the sign-in. */
    shown: () => (state.session.signedIn ? state.session.caller.customer_id : null),
    asked: () => state.note,
    /** The views that links opened, and whether something was shown before. */
    opened,
    form: () => (state.session.signedIn ? null : state.session),
    /** The API refuses what the tab sent with its last credential, or with another one. */
    refuse: (index = -1) => refusals.at(index)?.(refusal),
  };
}

const linkOf = (credential: string, to: Route | null = null): Link => ({ kind: 'portal', credential, to });
const leaveAcme = {
  kind: 'switch',
  from: [{ id: 'cus_acme', label: 'cus_acme' }],
  to: { id: 'cus_other', label: 'cus_other' },
};

describe('a link', () => {
  it('opens the view that it names with the sign-in; one of another account after the answer, or the first view', async () => {
    const fresh = openWorld().openTab();
    await fresh.sessions.follow(linkOf('ptl_acme', { view: 'runs' }));
    expect(fresh.opened).toEqual([['runs', false]]);

    await fresh.sessions.follow(linkOf('ptl_other', { view: 'resend' }));
    expect(fresh.opened).toHaveLength(1);
    await fresh.sessions.answer(true);
    await fresh.sessions.follow(linkOf('ptl_acme'));
    await fresh.sessions.answer(true);
    expect(fresh.opened.map(([view]) => view)).toEqual(['runs', 'resend', 'endpoints']);
  });

  it('opens at once where nobody is signed in, and in place of a session of the same customer', async () => {
    const { openTab: open } = openWorld();
    const tab = open();
    await tab.sessions.signIn({ credential: 'key_acme', keeping: 'memory' });

    await tab.sessions.follow(linkOf('ptl_acme'));

    expect([tab.shown(), tab.asked(), tab.kept()]).toEqual(['cus_acme', null, ['ptl_acme']]);
    const fresh = openWorld().openTab();
    await fresh.sessions.follow(linkOf('ptl_other'));
    expect([fresh.shown(), fresh.asked()]).toEqual(['cus_other', null]);
  });

  it('of another customer asks first, and changes nothing after a no', async () => {
    const { openTab: open } = openWorld();
    const tab = open();
    await tab.sessions.signIn({ credential: 'key_acme', keeping: 'tab' });

    await tab.sessions.follow(linkOf('ptl_other'));

    expect([tab.shown(), tab.asked(), tab.kept()]).toEqual(['cus_acme', leaveAcme, ['key_acme']]);
    await tab.sessions.answer(false);
    expect([tab.shown(), tab.asked(), tab.kept()]).toEqual(['cus_acme', null, ['key_acme']]);
    await tab.sessions.follow(linkOf('ptl_other'));
    await tab.sessions.answer(true);
    expect([tab.shown(), tab.asked(), tab.kept()]).toEqual(['cus_other', null, ['ptl_other']]);
  });

  it('asks also for a session that the tab keeps over a reload, and goes on with it after a no', async () => {
    const tab = openWorld().openTab('key_acme');

    await tab.sessions.follow(linkOf('ptl_other'));

    expect([tab.shown(), tab.asked(), tab.kept()]).toEqual([null, leaveAcme, ['key_acme']]);
    await tab.sessions.answer(false);
    expect([tab.shown(), tab.kept()]).toEqual(['cus_acme', ['key_acme']]);
  });

  it('asks also for the session of another tab when the API refuses what the tab keeps, and takes that after a no', async () => {
    const { openTab: open } = openWorld();
    await open().sessions.signIn({ credential: 'key_acme', keeping: 'memory' });
    const tab = open('key_revoked');

    await tab.sessions.follow(linkOf('ptl_other'));

    expect([tab.shown(), tab.asked()]).toEqual([null, leaveAcme]);
    await tab.sessions.answer(false);
    expect(tab.shown()).toBe('cus_acme');
  });

  it('asks also for the session of another tab', async () => {
    const { openTab: open } = openWorld();
    await open().sessions.signIn({ credential: 'key_acme', keeping: 'memory' });
    const tab = open();

    await tab.sessions.follow(linkOf('ptl_other'));

    expect([tab.shown(), tab.asked()]).toEqual([null, leaveAcme]);
  });

  it('that is refused leaves the session as it was, and says why', async () => {
    const { openTab: open } = openWorld();
    for (const [link, reason] of [
      [linkOf('ptl_ended'), 'The link could not be opened. This key was revoked. Sign in with another one.'],
      [{ kind: 'refused', reason: 'A key' }, 'A key'],
    ] as const) {
      const tab = open('key_acme');
      await tab.sessions.follow(link);
      expect([tab.shown(), tab.asked(), tab.kept()]).toEqual(['cus_acme', { kind: 'refused', reason }, ['key_acme']]);
    }
  });

  it('can be tried again while the API does not answer, and still asks', async () => {
    const world = openWorld();
    world.failing.set('ptl_other', { kind: 'offline' });
    const tab = world.openTab('key_acme');
    await tab.sessions.follow(linkOf('ptl_other'));
    expect(tab.form()).toMatchObject({ resuming: true, failure: { kind: 'offline' } });
    world.failing.clear();

    await tab.sessions.retry();

    expect(tab.asked()).toEqual(leaveAcme);
  });
});

describe('a credential that the API refuses', () => {
  it('does not stay in the storage of the tab, else every reload would try it again', async () => {
    const tab = openWorld().openTab('key_revoked');

    await tab.sessions.resume();

    expect(tab.kept()).toEqual([]);
    expect(tab.form()).toMatchObject({ resuming: false, failure: refusal });
  });

  it('stays while the API does not answer', async () => {
    const world = openWorld();
    world.failing.set('key_acme', { kind: 'offline' });
    const tab = world.openTab('key_acme');

    await tab.sessions.resume();

    expect(tab.kept()).toEqual(['key_acme']);
    expect(tab.form()).toMatchObject({ resuming: true, failure: { kind: 'offline' } });
  });

  it('ends the session that it opened', async () => {
    const tab = openWorld().openTab('key_acme');
    await tab.sessions.resume();

    tab.refuse();

    expect([tab.shown(), tab.kept()]).toEqual([null, []]);
    expect(tab.form()?.reason).toBe('You were signed out. This key was revoked. Sign in with another one.');
  });

  it('does not end a session that another one has opened since', async () => {
    const tab = openWorld().openTab();
    await tab.sessions.signIn({ credential: 'key_acme', keeping: 'tab' });
    await tab.sessions.signIn({ credential: 'key_other', keeping: 'tab' });

    tab.refuse(0);

    expect([tab.shown(), tab.kept()]).toEqual(['cus_other', ['key_other']]);
  });
});

describe('an answer of the API that comes after the reader did something else', () => {
  it.each(['ptl_acme', 'ptl_other', 'ptl_ended'])('about the link %s is ignored', async (credential) => {
    const world = openWorld();
    const answer = Promise.withResolvers<void>();
    world.held.set(credential, answer.promise);
    const tab = world.openTab();
    await tab.sessions.signIn({ credential: 'key_acme', keeping: 'tab' });

    const followed = tab.sessions.follow(linkOf(credential));
    tab.sessions.signOut();
    answer.resolve();
    await followed;

    expect([tab.shown(), tab.asked(), tab.kept()]).toEqual([null, null, []]);
  });

  it.each(['key_acme', 'key_revoked'])('about the typed %s is ignored', async (credential) => {
    const world = openWorld();
    const answer = Promise.withResolvers<void>();
    world.held.set(credential, answer.promise);
    const tab = world.openTab();

    const early = tab.sessions.signIn({ credential, keeping: 'tab' });
    await tab.sessions.signIn({ credential: 'key_other', keeping: 'tab' });
    answer.resolve();
    await early;

    expect([tab.shown(), tab.kept()]).toEqual(['cus_other', ['key_other']]);
  });
});

describe('a new tab', () => {
  it('gets the session of the open ones, and keeps it in memory only', async () => {
    const { openTab: open } = openWorld();
    await open().sessions.signIn({ credential: 'key_acme', keeping: 'tab' });
    const tab = open();

    await tab.sessions.resume();

    expect([tab.shown(), tab.kept()]).toEqual(['cus_acme', []]);
  });

  it('takes none of several accounts by itself', async () => {
    const { openTab: open } = openWorld();
    await open().sessions.signIn({ credential: 'key_acme', keeping: 'memory' });
    await open().sessions.signIn({ credential: 'key_other', keeping: 'memory' });
    const tab = open();

    await tab.sessions.resume();

    expect([tab.shown(), tab.form()?.busy]).toEqual([null, false]);
    expect(tab.form()?.reason).toMatch(/several accounts/);
  });

  it('signing out signs out every tab of the account, and no other', async () => {
    const { openTab: open } = openWorld();
    const [first, second, third] = [open(), open('key_acme'), open()];
    await first.sessions.signIn({ credential: 'key_acme', keeping: 'memory' });
    await second.sessions.resume();
    await third.sessions.signIn({ credential: 'key_other', keeping: 'memory' });

    first.sessions.signOut();
    await settle();

    expect([first, second, third].map((tab) => tab.shown())).toEqual([null, null, 'cus_other']);
    expect(second.kept()).toEqual([]);
    const next = open();
    await next.sessions.resume();
    expect(next.shown()).toBe('cus_other');
  });
});
