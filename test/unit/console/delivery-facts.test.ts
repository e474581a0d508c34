import { describe, expect, it } from 'vitest';
import { mayBeFirewall } from '../../../console/views/deliveries/delivery-facts.ts';

const event = { event_type: 'run.completed', example_type: null, replay_of: null } as const;
const handshake = { ...event, event_type: 'webhook.test' } as const;

describe('mayBeFirewall()', () => {
  it.each([
    ['an event that is refused with 403', event, 403, true],
    ['an event that is refused with 406', event, 406, true],
    ['an event that is refused with 415', event, 415, true],
    ['an example', { ...handshake, example_type: 'run.completed' } as const, 403, true],
    ['a replay of the test event', { ...handshake, replay_of: 'whd_1' } as const, 403, true],
    ['the test event of a registration, which has no links', handshake, 403, false],
    ['another status', event, 401, false],
    ['an error of the receiver', event, 500, false],
    ['no response', event, null, false],
  ])('knows %s', (_, delivery, status, expected) => {
    expect(mayBeFirewall({ ...delivery, response_status: status })).toBe(expected);
  });
});
