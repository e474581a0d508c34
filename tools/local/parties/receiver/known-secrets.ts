/** Secrets to keep for one name: more than a customer has endpoints, with two secrets each during a rotation. */
const secretsPerName = 20;
/** Number of names with secrets; beyond it, the name that got none for the longest time is dropped. */
const maxNames = 10_000;

/** The signing secrets that the receiver was given, by the name of the path they belong to. In memory only. */
export class KnownSecrets {
  readonly #byName = new Map<string, readonly string[]>();

  /** Adds a secret. Earlier ones stay: after a rotation, deliveries are signed with both for a day. */
  add(name: string, secret: string): void {
    const others = this.of(name).filter((known) => known !== secret);
    this.#byName.delete(name);
    this.#byName.set(name, [...others, secret].slice(-secretsPerName));
    const oldest = this.#byName.keys().next();
    if (this.#byName.size > maxNames && oldest.done !== true) this.#byName.delete(oldest.value);
  }

  of(name: string): readonly string[] {
    return this.#byName.get(name) ?? [];
  }
}
