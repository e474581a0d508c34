import { describe, expect, it } from 'vitest';
import { type Selection, takeOutDeadLetters } from '#shared/operations/operator/take-out-dead-letters.ts';

type Letter = { readonly id: string; readonly reason: string | null };

const all: Selection = { ids: null, malformed: false };
const withMalformed: Selection = { ids: null, malformed: true };
const only = (...ids: readonly string[]): Selection => ({ ids: new Set(ids), malformed: false });

const good = (count: number): readonly Letter[] =>
  Array.from({ length: count }, (_, number) => ({ id: `good-${number}`, reason: null }));
const bad = (count: number): readonly Letter[] =>
  Array.from({ length: count }, (_, number) => ({ id: `bad-${number}`, reason: 'run: is missing' }));

/** A dead-letter queue whose source has a consumer: a malformed message that is put back returns at once, as a new message. */
class DeadLetters {
  readonly waiting: Letter[];
  readonly held = new Set<Letter>();
  readonly copied: string[] = [];
  readonly removed: string[] = [];
  constructor(letters: readonly Letter[]) {
    this.waiting = [...letters];
  }

  deps() {
    return {
      count: async () => this.waiting.length,
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
        for (const letter of letters) {
          this.held.delete(letter);
          this.waiting.push(letter);
        }
      },
    };
  }

  readonly putBack = async ({ id, reason }: Letter): Promise<void> => {
    this.copied.push(id);
    if (reason !== null) this.waiting.push({ id: `${id}-again`, reason });
  };

  left(): readonly string[] {
    return this.waiting.map(({ id }) => id).toSorted();
  }
}

describe('takeOutDeadLetters()', () => {
  it('takes out every message without a reason, and leaves the others visible', async () => {
    const queue = new DeadLetters([...bad(2), ...good(15)]);

    const result = await takeOutDeadLetters(queue.deps())(all, queue.putBack);

    expect(result).toMatchObject({ skipped: 2, more: false, failure: null });
    expect(result.taken.toSorted()).toEqual(
      good(15)
        .map(({ id }) => id)
        .toSorted(),
    );
    expect(queue.copied.toSorted()).toEqual(result.taken.toSorted());
    expect(queue.left()).toEqual(['bad-0', 'bad-1']);
    expect(queue.held.size).toBe(0);
  });

  it('puts each malformed message back once when requested, although it returns at once', async () => {
    const queue = new DeadLetters([...bad(12), ...good(2)]);

    const result = await takeOutDeadLetters(queue.deps())(withMalformed, queue.putBack);

    expect(result).toMatchObject({ skipped: 0, more: false, failure: null });
    expect(result.taken).toHaveLength(14);
    expect(queue.copied).toHaveLength(14);
    expect(queue.left()).toEqual(
      bad(12)
        .map(({ id }) => `${id}-again`)
        .toSorted(),
    );
  });

  it('puts back only the named messages, with or without a reason, and then stops receiving', async () => {
    const queue = new DeadLetters([...bad(2), ...good(8)]);

    const result = await takeOutDeadLetters(queue.deps())(only('good-1', 'bad-1'), queue.putBack);

    expect(result.taken.toSorted()).toEqual(['bad-1', 'good-1']);
    expect(result).toMatchObject({ skipped: 0, more: false, failure: null });
    expect(queue.left()).toEqual([
      'bad-0',
      'bad-1-again',
      'good-0',
      ...good(8)
        .slice(2)
        .map(({ id }) => id),
    ]);
  });

  it('moves nothing when no message has the id', async () => {
    const queue = new DeadLetters([...bad(1), ...good(4)]);

    const result = await takeOutDeadLetters(queue.deps())(only('unknown'), queue.putBack);

    expect(result).toEqual({ taken: [], skipped: 0, more: false, failure: null });
    expect(queue.left()).toEqual(['bad-0', 'good-0', 'good-1', 'good-2', 'good-3']);
  });

  it('sends before it deletes: a message whose deletion failed is in both queues, and none is lost', async () => {
    const queue = new DeadLetters(good(5));
    const failure = new Error('no connection');
    const { remove, ...deps } = queue.deps();
    const failing = async (letter: Letter) => {
      if (letter.id === 'good-1') throw failure;
      await remove(letter);
    };

    const result = await takeOutDeadLetters({ ...deps, remove: failing })(all, queue.putBack);

    expect(result).toEqual({ taken: ['good-0', 'good-2'], skipped: 0, more: false, failure });
    expect(queue.copied).toEqual(['good-0', 'good-1', 'good-2']);
    expect(queue.left()).toEqual(['good-1', 'good-3', 'good-4']);
  });

  it('deletes nothing that the queue did not accept', async () => {
    const queue = new DeadLetters(good(2));
    const failure = new Error('refused');

    const result = await takeOutDeadLetters(queue.deps())(all, async () => Promise.reject(failure));

    expect(result).toMatchObject({ taken: [], failure });
    expect(queue.removed).toEqual([]);
    expect(queue.left()).toEqual(['good-0', 'good-1']);
  });

  it('reports its result when the messages cannot be released', async () => {
    const queue = new DeadLetters([...good(1), ...bad(1)]);
    const failure = new Error('no connection');

    const result = await takeOutDeadLetters({
      ...queue.deps(),
      release: async () => Promise.reject(failure),
    })(all, queue.putBack);

    expect(result).toEqual({ taken: ['good-0'], skipped: 1, more: false, failure });
  });

  it('deletes messages without a copy when there is no action before the deletion', async () => {
    const queue = new DeadLetters([...bad(1), ...good(2)]);

    const result = await takeOutDeadLetters(queue.deps())(only('good-1', 'bad-0'));

    expect(result.taken.toSorted()).toEqual(['bad-0', 'good-1']);
    expect(queue.copied).toEqual([]);
    expect(queue.removed.toSorted()).toEqual(['bad-0', 'good-1']);
    expect(queue.left()).toEqual(['good-0']);
  });

  it('ends although malformed messages keep arriving, and reports that more remain', async () => {
    const queue = new DeadLetters(bad(5));
    let arrived = 0;
    const { take, ...deps } = queue.deps();
    const flood = async () => {
      if (arrived === 1000) throw new Error('More than 1,000 messages arrived');
      queue.waiting.push({ id: `new-${arrived++}`, reason: 'run: is missing' });
      return take();
    };

    const result = await takeOutDeadLetters({ ...deps, take: flood })(all, queue.putBack);

    expect(result).toMatchObject({ taken: [], more: true, failure: null });
  });

  it('ends when it receives a message again that it held for too long', async () => {
    const queue = new DeadLetters(bad(2));

    const result = await takeOutDeadLetters({ ...queue.deps(), take: async () => bad(2) })(
      all,
      queue.putBack,
    );

    expect(result).toMatchObject({ taken: [], skipped: 2, more: true, failure: null });
  });

  it('puts a message back once when it is received again after its deletion', async () => {
    const queue = new DeadLetters(good(1));

    const result = await takeOutDeadLetters({ ...queue.deps(), take: async () => good(1) })(
      all,
      queue.putBack,
    );

    expect(result.taken).toEqual(['good-0']);
    expect(queue.copied).toEqual(['good-0']);
  });
});
