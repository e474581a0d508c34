import { afterEach, describe, expect, it, vi } from 'vitest';
import { interruptedExitCode, watchInterrupts } from '../../../tools/operator/cli/interrupts.ts';

afterEach(() => vi.restoreAllMocks());

/** Presses Ctrl-C at these times, in milliseconds. @returns what happened */
function press(...times: readonly number[]) {
  const happened: string[] = [];
  vi.spyOn(process, 'exit').mockImplementation((code): never => {
    happened.push(`exit ${code}`);
    throw new Error('The process has ended');
  });
  const clock = vi.spyOn(performance, 'now');
  const { isStopped, stopWatching } = watchInterrupts(() => void happened.push('leaving'));
  const listener = process.listeners('SIGINT').at(-1);
  const before = isStopped();
  try {
    for (const time of times) {
      clock.mockReturnValue(time);
      listener?.('SIGINT');
    }
  } catch (error) {
    if (happened.length === 0) throw error;
  }
  const after = isStopped();
  stopWatching();
  return {
    before,
    after,
    happened,
    isWatched: listener !== undefined && process.listeners('SIGINT').includes(listener),
  };
}

describe('Ctrl-C while bulk replays run', () => {
  it('asks to stop, and a second one ends the process at once', () => {
    expect(press(1_000)).toEqual({ before: false, after: true, happened: [], isWatched: false });
    expect(press(1_000, 2_000)).toMatchObject({
      after: true,
      happened: ['leaving', `exit ${interruptedExitCode}`],
    });
  });

  it('is one signal when npm passes the same one on', () => {
    expect(press(1_000, 1_200)).toMatchObject({ after: true, happened: [] });
  });

  it('changes nothing when it is not pressed', () => {
    expect(press()).toMatchObject({ before: false, after: false, happened: [] });
  });
});
