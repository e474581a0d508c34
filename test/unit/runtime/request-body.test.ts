import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeRequestBody } from '#shared/runtime/middlewares/json-body.ts';

const refusal = (detail: RegExp) =>
  expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(detail) });
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const kib64 = 64 * 1024;

describe('decodeRequestBody()', () => {
  it.each(['{}', '{"description":"Überwachung 🎬"}', '"a"', ''])('gives %j as it came', (text) => {
    expect(decodeRequestBody(text, false)).toBe(text);
    expect(decodeRequestBody(base64(Buffer.from(text)), true)).toBe(text);
  });

  it('takes 64 KiB and refuses a byte more', () => {
    const text = `"${'x'.repeat(kib64 - 2)}"`;

    expect(decodeRequestBody(text, false)).toHaveLength(kib64);
    expect(decodeRequestBody(base64(Buffer.from(text)), true)).toHaveLength(kib64);
    expect(() => decodeRequestBody(`${text} `, false)).toThrow(refusal(/at most 65536 bytes/));
    expect(() => decodeRequestBody(base64(Buffer.from(`${text} `)), true)).toThrow(refusal(/65536/));
  });

  it('counts bytes, not characters', () => {
    expect(() => decodeRequestBody(`"${'ü'.repeat(kib64 / 2)}"`, false)).toThrow(refusal(/65536/));
  });

  it('refuses a byte-order mark', () => {
    expect(() => decodeRequestBody('\ufeff{}', false)).toThrow(refusal(/byte-order mark/));
    expect(() => decodeRequestBody(base64(Buffer.from('\ufeff{}')), true)).toThrow(refusal(/byte-order mark/));
  });

  it.each(['\uf000', '\ufefe', '\uff21'])('takes %j for what it is, though its bytes begin alike', (text) => {
    expect(decodeRequestBody(text, false)).toBe(text);
  });

  it('keeps the same character inside the text', () => {
    expect(decodeRequestBody('"\ufeff"', false)).toBe('"\ufeff"');
  });

  it.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a sequence that ends early', [0x22, 0xe2, 0x82]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('refuses %s', (_, bytes) => {
    expect(() => decodeRequestBody(base64(Uint8Array.from(bytes)), true)).toThrow(refusal(/UTF-8/));
  });

  it('says of a compressed body that it must not be', () => {
    expect(() => decodeRequestBody(base64(gzipSync('{}')), true)).toThrow(refusal(/not compressed/));
  });

  it('takes 32 levels and refuses 33', () => {
    expect(decodeRequestBody(nested(32), false)).toBe(nested(32));
    expect(() => decodeRequestBody(nested(33), false)).toThrow(refusal(/32 levels/));
    expect(() => decodeRequestBody(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, false)).toThrow(refusal(/32/));
  });
});
