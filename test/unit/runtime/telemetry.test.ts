import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { describe as describeCause } from '#shared/runtime/log-facts.ts';

it('describe() gives the kind and the message of an error, and none of its other members', () => {
  const error = Object.assign(new TypeError('wrong'), { body: 'swordfish' });

  expect(describeCause(error)).toEqual({ kind: 'TypeError', message: 'wrong' });
});

it('describe() gives the message for each address of a host of which none could be reached', () => {
  const errors = ['connect ENETUNREACH 2001:db8::1:443', 'connect ECONNREFUSED 192.0.2.1:443'].map(
    (text) => new Error(text),
  );

  expect(describeCause(new AggregateError(errors))).toEqual({
    kind: 'AggregateError',
    message: 'connect ENETUNREACH 2001:db8::1:443; connect ECONNREFUSED 192.0.2.1:443',
  });
});

it('describe() gives the id of a request that AWS refused, for which AWS support asks', () => {
  const error = Object.assign(new Error('slow down'), { $metadata: { requestId: 'aws-1' } });

  expect(describeCause(error)).toEqual({ kind: 'Error', message: 'slow down', aws_request_id: 'aws-1' });
});

it('describe() gives the type and the text of any other value', () => {
  expect(describeCause('down')).toEqual({ kind: 'string', message: 'down' });
  expect(describeCause(undefined)).toEqual({ kind: 'undefined', message: 'undefined' });
});

it('describe() cuts long texts', () => {
  expect(describeCause(new Error('x'.repeat(501))).message).toHaveLength(500);
  expect(describeCause('x'.repeat(501)).message).toHaveLength(500);
});

it('a fault in stored data names what was expected, also in a process that loads only what a function does', () => {
  const program = `
    import '#shared/runtime/log-facts.ts';
    import * as z from 'zod/mini';
    console.log(z.string().safeParse(1).error.issues[0].message);
  `;

  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });

  expect(printed).toBe('Invalid input: expected string, received number\n');
});
