import { describe, expect, it } from 'vitest';
import { type Selection, takeOutDeadLetters } from '#shared/operations/operator/take-out-dead-letters.ts';

type Letter = { readonly id: string; readonly reason: string | null };

const all: Selection = { ids: null, malformed: false };

const named = (name: string, count: number) => Array.from({ length: count }, (_, number) => `${name}-${number}`);
const complete = { skipped: 0, more: false, heldElsewhere: 0 };
const good = (count: number): readonly Letter[] => named('good', count).map((id) => ({ id, reason: null }));
const bad = (count: number): readonly Letter[] => named('bad', count).map((id) => ({ id, reason: 'run: is missing' }));
const failure = new Error('no connection');

/** A dead-letter queue whose source has a consumer: a malformed message that is put back returns at once, as a new message. */
class DeadLetters {
  readonly waiting: Letter[];
  readonly held = new Set<Letter>();
  readonly copied: string[] = [];
  readonly removed: string[] = [];
  constructor(letters: readonly Letter[]) {
    this.waiting = [...letters];
  }

  readonly deps = {
    count: async () => ({ waiting: this.waiting.length, held: 0 }),
    take: async (): Promise<readonly Letter[]> => {
      const taken = this.waiting.splice(0, 3);
      for (const letter of taken) this.held.add(letter);
      return taken;
    },
    remove: async (letter: Letter) => {
      this.held.delete(letter);
      this.removed.push(letter.id);
    },
    release: async (letters: readonly Letter[]) => {
      for (const letter of letters) this.held.delete(letter);
      this.waiting.push(...letters);
    },
  };

  readonly putBack = async ({ id, reason }: Letter): Promise<void> => {
    this.copied.push(id);
    if (reason !== null) this.waiting.push({ id: `${id}-again`, reason });
  };

  takeOut(selection: Selection, given: Partial<typeof this.deps> = {}, before = this.putBack) {
    return takeOutDeadLetters({ ...this.deps, ...given })(selection, before);
  }

  left(): readonly string[] {
    return this.waiting.map(({ id }) => id).toSorted();
  }
}

// test/integration/dead-letters.test.ts has which messages the commands take.
describe('takeOutDeadLetters()', () => {
  it('puts back each malformed message once when requested, although it returns at once', async () => {
    const queue = new DeadLetters([...bad(12), ...good(2)]);

    const result = await queue.takeOut({ ids: null, malformed: true });

    const taken = [...named('bad', 12), ...named('good', 2)].toSorted();
    expect(result).toEqual({ taken: expect.any(Array), ...complete, failure: null });
    expect([result.taken.toSorted(), queue.copied.toSorted()]).toEqual([taken, taken]);
    expect(queue.left()).toEqual(
      named('bad', 12)
        .map((id) => `${id}-again`)
        .toSorted(),
    );
    expect(queue.held.size).toBe(0);
  });

  it('leaves the messages that it skips visible, and stops receiving once it has all that are named', async () => {
    const queue = new DeadLetters([...bad(2), ...good(3)]);
    let takes = 0;
    const take = () => {
      takes += 1;
      return queue.deps.take();
    };

    const result = await queue.takeOut({ ids: new Set(['good-0']), malformed: false }, { take });

    expect(result).toMatchObject({ taken: ['good-0'], skipped: 0 });
    expect(queue.left()).toEqual(['bad-0', 'bad-1', 'good-1', 'good-2']);
    expect([queue.held.size, takes]).toEqual([0, 1]);
  });

  it('sends before it deletes: a message whose deletion failed is in both queues, and none is lost', async () => {
    const queue = new DeadLetters(good(5));
    const remove = async (letter: Letter) => {
      if (letter.id === 'good-1') throw failure;
      await queue.deps.remove(letter);
    };

    const result = await queue.takeOut(all, { remove });

    expect(result).toEqual({ taken: ['good-0', 'good-2'], ...complete, failure });
    expect(queue.copied).toEqual(['good-0', 'good-1', 'good-2']);
    expect(queue.left()).toEqual(['good-1', 'good-3', 'good-4']);
  });

  it('reports its result when the messages cannot be released', async () => {
    const queue = new DeadLetters([...good(1), ...bad(1)]);

    const result = await queue.takeOut(all, { release: () => Promise.reject(failure) });

    expect(result).toEqual({ taken: ['good-0'], ...complete, skipped: 1, failure });
  });

  it('ends although malformed messages keep arriving, and reports that more remain', async () => {
    const queue = new DeadLetters(bad(5));
    let arrived = 0;
    const take = async () => {
      if (arrived === 1000) throw new Error('More than 1,000 messages arrived');
      queue.waiting.push({ id: `new-${arrived++}`, reason: 'run: is missing' });
      return queue.deps.take();
    };

    expect(await queue.takeOut(all, { take })).toMatchObject({ taken: [], more: true, failure: null });
  });

  it('ends when it receives a message again that it held for too long', async () => {
    const result = await new DeadLetters(bad(2)).takeOut(all, { take: async () => bad(2) });

    expect(result).toMatchObject({ taken: [], skipped: 2, more: true, failure: null });
  });

  it('puts a message back once when it is received again after its deletion', async () => {
    const queue = new DeadLetters(good(1));

    const result = await queue.takeOut(all, { take: async () => good(1) });

    expect(result.taken).toEqual(['good-0']);
    expect(queue.copied).toEqual(['good-0']);
  });
});
