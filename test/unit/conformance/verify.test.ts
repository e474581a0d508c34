import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tools/conformance/checks/verify.ts';

const secret = 'whsec_secret';
const body = Buffer.from('{"id":"evt_1"}');
const time = 1_800_000_000;
const right = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
const wrong = '0'.repeat(64);

describe('verifies()', () => {
  it.each([
    ['the right signature', `t=${time},v1=${right}`, time, true],
    ['any of two signatures', `t=${time},v1=${wrong},v1=${right}`, time, true],
    ['a time 300 s off', `t=${time},v1=${right}`, time + 300, true],
    ['a time 301 s off', `t=${time},v1=${right}`, time + 301, false],
    ['a time in the future', `t=${time},v1=${right}`, time - 301, false],
    ['a wrong signature', `t=${time},v1=${wrong}`, time, false],
    ['upper case', `t=${time},v1=${right.toUpperCase()}`, time, false],
    ['no time', `v1=${right}`, time, false],
    ['a time that is no integer', `t=${time}.0,v1=${right}`, time, false],
    ['no signature', `t=${time}`, time, false],
    ['nothing', '', time, false],
  ])('judges a header with %s', (_, header, now, wanted) => {
    expect(verifies(header, body, secret, now)).toBe(wanted);
  });

  it('signs the bytes as they are', () => {
    const header = `t=${time},v1=${right}`;

    expect(verifies(header, Buffer.from('{ "id": "evt_1" }'), secret, time)).toBe(false);
  });
});
