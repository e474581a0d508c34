import { describe, expect, it } from 'vitest';
import {
  forget,
  keep,
  readKept,
  type TabStorage,
  takeFromLink,
} from '../../../console/session/credential.ts';

function storageOf(): TabStorage & { readonly values: ReadonlyMap<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => values.set(key, value),
    removeItem: (key) => values.delete(key),
  };
}

function take(hash: string) {
  const replaced: string[] = [];
  const bar = { replaceState: (_data: null, _unused: string, url: string) => void replaced.push(url) };
  const token = takeFromLink({ hash, pathname: '/prod/console', search: '?from=mail' }, bar);
  return { token, replaced };
}

describe('takeFromLink()', () => {
  it('takes the credential out of the address, and leaves the rest', () => {
    expect(take('#token=plk_abc-_1')).toEqual({
      token: 'plk_abc-_1',
      replaced: ['/prod/console?from=mail'],
    });
  });

  it('an empty credential leaves the address too, and is none', () => {
    expect(take('#token=')).toEqual({ token: null, replaced: ['/prod/console?from=mail'] });
  });

  it.each(['', '#', '#/deliveries?status=failed', '#/endpoints/token=1'])('leaves %j alone', (hash) => {
    expect(take(hash)).toEqual({ token: null, replaced: [] });
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
    for (const end of [
      (storage: TabStorage) => keep(storage, { credential: 'key_2', keeping: 'memory' }),
      forget,
    ]) {
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
