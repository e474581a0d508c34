import type { CryptoKey, FlattenedJWSInput, JWSHeaderParameters } from 'jose';
import { JWKSNoMatchingKey } from 'jose/errors';
import type { LocalJWKSet } from 'jose/jwks/local';
import type { Needs } from '#shared/operations/needs.ts';
import { readKeySet } from './key-set.ts';

/** Finds the key for a token. The token is not verified yet, so nothing in it is trusted. */
export type FindSigningKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

/** The issuer's keys are unavailable: a failure of this service, not of the token. */
export class SigningKeysUnavailable extends Error {
  override readonly name = 'SigningKeysUnavailable';
}

type Deps = Pick<Needs, 'now'> & {
  /** Reads the key set that the issuer publishes. */
  readonly fetchKeySet: () => Promise<unknown>;
  /** Called with the cause of each failed fetch, even while older keys are still in use. */
  readonly onFailure: (cause: unknown) => void;
};

const minute = 60_000;

/** Keys up to this age are used without a request to the issuer. Milliseconds. */
const freshMs = 10 * minute;

/**
 * Keys up to this age are used while the issuer is unreachable. Every request reads its connection, so a revocation
 * still takes effect at once. Milliseconds.
 */
const staleMs = 24 * 60 * minute;

/**
 * Minimum time between two requests to the issuer, in milliseconds. The shorter one applies while no token can be
 * verified.
 */
const coolDownMs = 30_000;
const emptyCoolDownMs = 5_000;

type Held = { readonly find: LocalJWKSet; readonly fetchedAt: number };

/**
 * Caches the issuer's public keys. A token with an unknown key triggers another request to the issuer, because issuers
 * rotate their keys; the cool-down bounds the rate of these requests for any sequence of tokens. A response without a
 * usable key counts as a failure, so a misconfigured issuer is handled like an unreachable one.
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
  #requestedAt = Number.NEGATIVE_INFINITY;
  #pending: Promise<void> | null = null;
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

  /** Fetches the keys again; during the cool-down, returns the current ones. */
  async refreshed(): Promise<Held | null> {
    const pause = this.#isYoungerThan(staleMs) ? coolDownMs : emptyCoolDownMs;
    if (this.#pending === null && this.#since(this.#requestedAt) < pause) return this.#held;
    this.#pending ??= this.#request().finally(() => {
      this.#pending = null;
    });
    await this.#pending;
    return this.#held;
  }

  async #request(): Promise<void> {
    this.#requestedAt = this.#deps.now();
    try {
      const find = await readKeySet(await this.#deps.fetchKeySet());
      this.#held = { find, fetchedAt: this.#deps.now() };
    } catch (cause) {
      this.#failure = cause;
      this.#deps.onFailure(cause);
    }
  }

  #isYoungerThan(age: number): boolean {
    return this.#held !== null && this.#since(this.#held.fetchedAt) < age;
  }

  /** If the clock was set back, by how much: otherwise nothing would be fetched for as long. */
  #since(time: number): number {
    return Math.abs(this.#deps.now() - time);
  }
}
