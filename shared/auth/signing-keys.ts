import type { CryptoKey, FlattenedJWSInput, JWSHeaderParameters } from 'jose';
import { JWKSNoMatchingKey } from 'jose/errors';
import type { LocalJWKSet } from 'jose/jwks/local';
import { readKeySet } from './key-set.ts';

/** Finds the key that a token names; nothing of the token is trusted yet. */
export type FindSigningKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

/** No key set of the issuer could be had: our fault, not the token's. */
export class SigningKeysUnavailable extends Error {
  override readonly name = 'SigningKeysUnavailable';
}

type Deps = {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Reads what the issuer publishes. */
  readonly fetchKeySet: () => Promise<unknown>;
  /** Told why a key set could not be read, also when older keys still serve. */
  readonly onFailure: (cause: unknown) => void;
};

const minute = 60_000;

/** How long keys are used without asking the issuer. */
const freshMs = 10 * minute;

/**
 * How long they are used when the issuer cannot be asked. A connection is looked up anew for every request, so
 * whoever is revoked stays out all the same.
 */
const staleMs = 24 * 60 * minute;

/** Least time between two questions, whatever tokens come. The shorter one holds while nothing can be verified. */
const coolDownMs = 30_000;
const emptyCoolDownMs = 5_000;

type Held = { readonly find: LocalJWKSet; readonly fetchedAt: number };

/**
 * The issuer's public keys. A token that names an unknown key makes us ask again, because issuers rotate their keys;
 * no sequence of tokens makes us ask more often than the pause allows. An answer without a usable key counts as no
 * answer: an issuer that stumbles is survived as one that is down.
 */
export function createSigningKeys(deps: Deps): FindSigningKey {
  const keySets = new KeySets(deps);
  return async (header, token) => {
    const current = await keySets.current();
    try {
      return await current.find(header, token);
    } catch (error) {
      if (!(error instanceof JWKSNoMatchingKey)) throw error;
      const newer = await keySets.refreshed();
      if (newer === null || newer === current) throw error;
      return await newer.find(header, token);
    }
  };
}

class KeySets {
  readonly #deps: Deps;
  #held: Held | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;
  #failure: unknown;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws SigningKeysUnavailable */
  async current(): Promise<Held> {
    const held = this.#isYoungerThan(freshMs) ? this.#held : await this.refreshed();
    if (held === null || !this.#isYoungerThan(staleMs)) {
      throw new SigningKeysUnavailable('The keys of the token issuer cannot be read', {
        cause: this.#failure,
      });
    }
    return held;
  }

  /** What is held after the issuer was asked, or was not because it had just been. */
  async refreshed(): Promise<Held | null> {
    const pause = this.#isYoungerThan(staleMs) ? coolDownMs : emptyCoolDownMs;
    if (this.#asking === null && this.#deps.now() - this.#askedAt < pause) return this.#held;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    await this.#asking;
    return this.#held;
  }

  async #ask(): Promise<void> {
    this.#askedAt = this.#deps.now();
    try {
      const find = await readKeySet(await this.#deps.fetchKeySet());
      this.#held = { find, fetchedAt: this.#deps.now() };
    } catch (cause) {
      this.#failure = cause;
      this.#deps.onFailure(cause);
    }
  }

  #isYoungerThan(age: number): boolean {
    return this.#held !== null && this.#deps.now() - this.#held.fetchedAt < age;
  }
}
