import { expect, it } from 'vitest';
import { parseResponseHead } from '#shared/http/response-head.ts';

/** Sixty times the most that is read of a head. With work that grows by the square, a test would take hours. */
const long = 4_000_000;

it.each([
  ['blanks within a value', `X: a${' '.repeat(long)}b`],
  ['tabs within a value', `X: a${'\t'.repeat(long)}b`],
  ['blanks before a value', `X:${' '.repeat(long)}b`],
  ['blanks within an element of Connection', `Connection: a${' '.repeat(long)}b, close`],
  ['blanks within a name', `Content${' '.repeat(long)}Length: 1`],
  ['folded lines', `X: a${'\r\n '.repeat(long / 3)}b`],
  ['line ends of CR', `X: a${'\r'.repeat(long / 4)}Y: b`],
  ['line ends of LF', `X: a${'\n'.repeat(long / 4)}Y: b`],
  ['line ends at the end', `X: a${'\r\n'.repeat(long / 2)}`],
  ['elements of Connection', `Connection: ${'a,'.repeat(long / 20)}`],
  ['blanks after a parameter of Keep-Alive', `Keep-Alive: timeout${' '.repeat(long)}x`],
  ['parameters of Keep-Alive', `Keep-Alive: ${'timeout '.repeat(long / 80)}`],
  ['digits of a length', `Content-Length: ${'1'.repeat(long)}`],
])('a head with very many %s is read without work that grows by the square', (_, header) => {
  expect(parseResponseHead(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n`)).toMatchObject({ status: 200 });
});

it.each([
  ['digits of the version', `HTTP/1.${'1'.repeat(long)}x`],
  ['blanks before the status', `HTTP/1.1${' '.repeat(long)}x`],
  ['line ends alone', '\r\n'.repeat(long / 2)],
])('%s without a status are no response, which needs no such work either', (_, head) => {
  expect(parseResponseHead(head)).toBe('not_http');
});
