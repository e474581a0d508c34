import { expect, it } from 'vitest';
import { queueJson } from '#shared/contract/messages/queue-json.ts';
import { hasRefusedCharacter } from '../../../tools/local/aws/sqs/message.ts';

it('queueJson() escapes what SQS refuses in a body', () => {
  const message = { note: '\ufffe🎬\uffff\ufffd\0\ud800' };

  const body = queueJson(message);

  expect([JSON.parse(body), hasRefusedCharacter(body)]).toEqual([message, false]);
});
