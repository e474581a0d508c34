import { describe, expect, it } from 'vitest';
import { isEngineId } from '#shared/domain/ids.ts';

describe('isEngineId()', () => {
  it.each(['run_1', 'run_01KDVDRN00000000000000000A', 'run_a-b_C', `run_${'a'.repeat(124)}`])(
    'accepts %s as the id of a Run',
    (text) => {
      expect(isEngineId('run', text)).toBe(true);
    },
  );

  it.each([
    '',
    'run_',
    'trk_1',
    'Run_1',
    'run_a#b',
    'run_a b',
    'run_a/b',
    'run_é',
    'run_1\n',
    `run_${'a'.repeat(125)}`,
  ])('does not know %j', (text) => {
    expect(isEngineId('run', text)).toBe(false);
  });
});
