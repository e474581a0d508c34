/** What is stored of a Run before it settles: nothing, or its open state. */
export type RunForm = 'new' | 'saved';

/** Runs in a row with the same form after which the next ones are expected to have it too. */
const alike = 8;

/**
 * Remembers whether a platform saves its Runs before they settle. A statement either inserts or updates, and one that
 * expects the wrong form costs a write unit, so there is none while Runs of both forms come.
 */
export class RunForms {
  #last: RunForm | null = null;
  #count = 0;

  note(form: RunForm): void {
    this.#count = form === this.#last ? this.#count + 1 : 1;
    this.#last = form;
  }

  /** `null`: not known. */
  get expected(): RunForm | null {
    return this.#count < alike ? null : this.#last;
  }
}
