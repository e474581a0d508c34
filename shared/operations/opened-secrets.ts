import type { OpenSecret } from './ports.ts';

/** Secrets that were opened for these attempts; none is asked for twice. */
export class OpenedSecrets {
  readonly #openSecret: OpenSecret;
  readonly #secrets = new Map<string, Promise<string>>();

  constructor(openSecret: OpenSecret) {
    this.#openSecret = openSecret;
  }

  get size(): number {
    return this.#secrets.size;
  }

  readonly open: OpenSecret = (sealed, context) => {
    const secret = this.#secrets.get(sealed) ?? this.#openSecret(sealed, context);
    this.#secrets.set(sealed, secret);
    return secret;
  };
}
