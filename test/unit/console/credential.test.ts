import { describe, expect, it } from 'vitest';
import {
  forget,
  keep,
  readKept,
  type TabStorage,
  takeFromLink,
  typedCredential,
} from '../../../console/session/credential.ts';
import { storageOf } from './browser.ts';

function take(hash: string, view?: string) {
  const replaced: string[] = [];
  const bar = { replaceState: (_data: null, _unused: string, url: string) => void replaced.push(url) };
  const link = takeFromLink({ hash, pathname: '/prod/console', search: '?from=mail' }, bar, view);
  return { link, replaced };
}

describe('takeFromLink()', () => {
  it('takes the credential of a portal link out of the address, and leaves the rest', () => {
    expect(take('#token=ptl_abc-_1')).toEqual({
      link: { kind: 'portal', credential: 'ptl_abc-_1', to: null },
      replaced: ['/prod/console?from=mail'],
    });
  });

  it('names the view that the link leads to', () => {
    const { link, replaced } = take('#token=ptl_a&to=/deliveries%3Fstatus%3Dfailed%26webhook%3Dwhe_1');

    expect(link).toMatchObject({
      to: { view: 'deliveries', filters: { status: 'failed', webhook: 'whe_1' } },
    });
    expect(replaced).toEqual(['/prod/console?from=mail']);
  });

  it.each([
    '//evil.example',
    'https://evil.example/endpoints',
    'javascript:alert(1)',
    '/nothing',
    'endpoints',
    '/endpoints/whe_1/../..',
    '',
  ])('leads nowhere for %j, which is no view of the console', (to) => {
    expect(take(`#token=ptl_a&to=${encodeURIComponent(to)}`).link).toMatchObject({ to: null });
  });

  it('leaves the reader in the view in which the link was followed', () => {
    expect(take('#token=ptl_a', '#/runs').replaced).toEqual(['/prod/console?from=mail#/runs']);
  });

  it.each([
    ['key_abc', /contains an API key.*paste it into the form/],
    ['a.b.c', /contains an access token.*paste it into the form/],
    ['plk_abc', /not a whole portal link.*ask for a new one/],
  ])('refuses %s, which leaves the address too, and says what to do', (token, reason) => {
    expect(take(`#token=${token}`)).toEqual({
      link: { kind: 'refused', reason: expect.stringMatching(reason) },
      replaced: ['/prod/console?from=mail'],
    });
    expect(JSON.stringify(take(`#token=${token}`).link)).not.toContain(token);
  });

  it('an empty credential leaves the address too, and is none', () => {
    expect(take('#token=')).toEqual({ link: null, replaced: ['/prod/console?from=mail'] });
  });

  it.each(['', '#', '#/deliveries?status=failed', '#/endpoints/token=1'])('leaves %j alone', (hash) => {
    expect(take(hash)).toEqual({ link: null, replaced: [] });
  });
});

describe('keep()', () => {
  it('keeps a credential in the storage of the tab only when asked', () => {
    const storage = storageOf();

    keep(storage, { credential: 'key_1', keeping: 'memory' });
    expect([...storage.values.values()]).toEqual([]);
    keep(storage, { credential: 'key_1', keeping: 'tab' });
    expect(readKept(storage)).toBe('key_1');
  });

  it('signing in again for memory only, or signing out, removes what was kept', () => {
    for (const end of [(storage: TabStorage) => keep(storage, { credential: 'key_2', keeping: 'memory' }), forget]) {
      const storage = storageOf();
      keep(storage, { credential: 'key_1', keeping: 'tab' });
      end(storage);

      expect([...storage.values]).toEqual([]);
    }
  });

  it('a browser without storage keeps nothing, and nothing throws', () => {
    keep(null, { credential: 'key_1', keeping: 'tab' });
    forget(null);

    expect(readKept(null)).toBeNull();
  });
});

describe('typedCredential()', () => {
  it.each([
    [' key_abc\n', 'key_abc'],
    ['a.b.c', 'a.b.c'],
    ['https://api.example.com/prod/console#token=ptl_abc-_1 ', 'ptl_abc-_1'],
  ])('takes %j as %s', (text, credential) => {
    expect(typedCredential(text)).toBe(credential);
  });

  it('leaves an address with another credential as it is, so that the API refuses it', () => {
    const address = 'https://api.example.com/console#token=key_abc';

    expect(typedCredential(address)).toBe(address);
  });
});
