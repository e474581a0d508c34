import { expect, it } from 'vitest';
import { responseClassOf } from '#shared/domain/response-class.ts';

it.each([
  [[], null],
  [[200], '2xx'],
  [[500, 204], '2xx'],
  [[399], '3xx'],
  [[400], '4xx'],
  [[503, 599], '5xx'],
  [[503, null], 'none'],
  [[199], null],
  [[600], null],
])('after attempts with the statuses %j, the last response was %s', (statuses, expected) => {
  expect(responseClassOf(statuses.map((responseStatus) => ({ responseStatus })))).toBe(expected);
});
