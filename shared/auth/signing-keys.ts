import type { CryptoKey, FlattenedJWSInput, JWSHeaderParameters } from 'jose';
import { JWKSNoMatchingKey } from 'jose/errors';
import type { LocalJWKSet } from 'jose/jwks/local';
import { readKeySet } from './key-set.ts';

/** Finds the key that a token names; nothing in the token is trusted yet. */
export type FindSigningKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

/** The issuer's keys are unavailable: the service's failure, not the token's. */
export class SigningKeysUnavailable extends Error {
  override readonly name = 'SigningKeysUnavailable';
}

type Deps = {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Reads the key set that the issuer publishes. */
  readonly fetchKeySet: () => Promise<unknown>;
  /** Called with the reason when a key set cannot be read, also while older keys still serve. */
  readonly onFailure: (cause: unknown) => void;
};

const minute = 60_000;

/** Keys this young are used without asking the issuer. */
const freshMs = 10 * minute;

/**
 * Keys this young are used when the issuer is unreachable. Every request reads its connection, so a revocation still
 * takes effect at once.
 */
const staleMs = 24 * 60 * minute;

/** Minimum time between two requests to the issuer. The shorter one applies while no token can be verified. */
const coolDownMs = 30_000;
const emptyCoolDownMs = 5_000;

type Held = { readonly find: LocalJWKSet; readonly fetchedAt: number };

/**
 * The issuer's public keys. A token with an unknown key causes another request to the issuer, because issuers rotate
 * their keys; no sequence of tokens causes requests more often than the cool-down allows. A response without a usable
 * key counts as no response, so a misconfigured issuer is handled like an unreachable one.
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

  /** The keys after a request to the issuer, or the present ones during the cool-down. */
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
