import { expect, it } from 'vitest';
import { queueCapacityOf } from '../../../bench/units/queue-capacity.ts';

const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/delivery';
const kilobytes = (count: number) => 'x'.repeat(count * 1024);

it.each([
  ['one message', 'SendMessage', { MessageBody: 'x' }, {}, 1, 1],
  ['ten small messages', 'SendMessageBatch', { Entries: Array(10).fill({ MessageBody: 'x' }) }, {}, 10, 1],
  ['two of 64 KB', 'SendMessageBatch', { Entries: Array(2).fill({ MessageBody: kilobytes(64) }) }, {}, 2, 2],
  ['65 KB', 'SendMessage', { MessageBody: kilobytes(65) }, {}, 1, 2],
  ['a receive of three', 'ReceiveMessage', {}, { Messages: Array(3).fill({ Body: 'x' }) }, 3, 1],
  ['a receive of none', 'ReceiveMessage', {}, {}, 0, 1],
  ['ten deletions', 'DeleteMessageBatch', { Entries: Array(10).fill({ Id: '1' }) }, {}, 10, 1],
])(
  'queueCapacityOf() counts a request for each 64 KB: %s',
  (_, action, input, answer, messages, requests) => {
    expect(queueCapacityOf(action, { QueueUrl, ...input }, answer)).toEqual({
      queue: 'delivery',
      messages,
      requests,
    });
  },
);
