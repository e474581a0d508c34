import { describe, expect, it } from 'vitest';
import { faultOf } from '../../../bench/support/log-fault.ts';

const entry = { timestamp: '2026-01-31T00:00:00.000Z', level: 'INFO', message: 'attempt.made' };

describe('faultOf()', () => {
  it.each([
    { line: entry, fault: null },
    {
      line: { ...entry, message: 'attempt.released', reason: 'endpoint_unread' },
      fault: 'deliver: attempt.released, endpoint_unread',
    },
    {
      line: {
        ...entry,
        level: 'ERROR',
        message: 'step.failed',
        step: 'record',
        cause: { message: 'No answer' },
      },
      fault: 'deliver: step.failed, record, No answer',
    },
  ])('returns $fault for a line with $line.message', ({ line, fault }) => {
    expect(faultOf('deliver', JSON.stringify(line))).toBe(fault);
  });

  it('returns a line that is not JSON', () => {
    expect(faultOf('deliver', 'Task timed out')).toBe('deliver: Task timed out');
  });
});
