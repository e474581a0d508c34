import { describe, expect, it } from 'vitest';
import type { Found } from '../../../tools/operator/dead-letters/dead-letter-queues.ts';
import { letterLines, listLines, summarize } from '../../../tools/operator/dead-letters/dead-letter-text.ts';

const due = { customer_id: 'cus_1', webhook_id: 'whe_1', delivery_id: 'whd_1', attempt: 3 };

function found(queue: Found['queue'], body: string, reason: string | null = null): Found {
  return {
    queue,
    letter: {
      id: 'id-1',
      body,
      reason,
      sentAt: Date.UTC(2026, 0, 1),
      receiveCount: 101,
      groupId: null,
      attributes: {},
      receiptHandle: 'handle-1',
    },
  };
}

it.each([
  ['the type of an intake message', '{"type":"run.saved"}', 'run.saved'],
  ['which attempt of which delivery', JSON.stringify(due), 'whd_1 of whe_1, attempt 3'],
  ['no subject when the type is not a string', '{"type":{}}', null],
  ['no subject for a message that is not an object', 'null', null],
  ['no subject for a body that is not JSON', '{"type":', null],
])('summarize() names %s', (_name, body, subject) => {
  expect(summarize(found('intake', body))).toMatchObject({ subject });
});

it('listLines() shows each message with its reason on one line', () => {
  const long = `run: ${'x'.repeat(500)}`;
  const all = [
    found('intake', '{"type":"a\\n\\u001b[2Jb"}', long),
    found('delivery', JSON.stringify(due)),
    found('intake', 'secret', 'The message is not JSON'),
  ];

  const lines = listLines(all.map(summarize));

  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ['QUEUE', 'ID', 'SENT', 'RECEIVED', 'SUBJECT', 'REASON'],
    ['intake', 'id-1', '2026-01-01T00:00:00.000Z', '101', 'a [2Jb', `run: ${'x'.repeat(95)}…`],
    ['delivery', 'id-1', '2026-01-01T00:00:00.000Z', '101', 'whd_1 of whe_1, attempt 3', 'tried too often'],
    ['intake', 'id-1', '2026-01-01T00:00:00.000Z', '101', '-', 'The message is not JSON'],
  ]);
});

describe('letterLines()', () => {
  it('shows a formatted body and the full reason', () => {
    const reason = `run: ${'x'.repeat(500)}`;

    expect(letterLines(found('intake', '{"type":"run.saved","run":{}}', reason))).toEqual([
      'Message   id-1',
      'Queue     intake',
      'Sent      2026-01-01T00:00:00.000Z',
      'Received  101 times',
      `Reason    ${reason}`,
      'Body',
      '{\n  "type": "run.saved",\n  "run": {}\n}',
    ]);
  });

  it.each([
    ['intake', 'queue/intake'],
    ['delivery', 'queue/deliver or queue/deliver-slow'],
  ] as const)('points to the log when a message of the %s queue was tried too often', (queue, log) => {
    expect(letterLines(found(queue, '{}'))).toContain(
      `Reason    tried too often while the service failed; see the log of ${log}`,
    );
  });

  it.each([
    ['a body that is not JSON', 'not\tJSON\n', 'not\tJSON\n'],
    ['what is nested too deeply', '['.repeat(100_000) + ']'.repeat(100_000), '['.repeat(100_000) + ']'.repeat(100_000)],
    ['control characters', 'a\u001b[2J\u009b\u202e\r', 'a\\u001b[2J\\u009b\\u202e\\u000d'],
    ['the same within JSON', '"\u009b \\u001b"', '"\\u009b \\u001b"'],
    ['half a character', '"\\ud800"', '"\\ud800"'],
    ['other alphabets and pictures', '"é 漢字 😀"', '"é 漢字 😀"'],
  ])('shows %s as text', (_name, body, text) => {
    expect(letterLines(found('intake', body)).at(-1)).toBe(text);
  });
});
