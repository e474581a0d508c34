import type { ResponseHead } from './response-head.ts';

/** Longest line between chunks: their sizes, extensions and trailers. */
const maxLineLength = 16 * 1024;

/** One that would change the framing comes too late. */
const trailer = /^(?!content-length|transfer-encoding)[\w!#$%&'*+.^`|~-]+:/i;

/** Finds the end of a body without keeping it. */
export type ResponseBody = {
  readonly hasEnded: boolean;
  /** Whether its end is in doubt: nothing after it can be trusted. */
  readonly isBroken: boolean;
  /** How many lines were read between chunks, in parts or whole. */
  readonly lines: number;
  /** @returns how many of the bytes belong to the body */
  read(bytes: Buffer): number;
};

export function bodyOf({ framing }: ResponseHead): ResponseBody {
  if (framing === 'chunked') return new ChunkedBody();
  return new MeasuredBody(framing === 'until_close' ? Number.POSITIVE_INFINITY : framing);
}

class MeasuredBody implements ResponseBody {
  readonly isBroken = false;
  readonly lines = 0;
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  get hasEnded(): boolean {
    return this.#left === 0;
  }

  read(bytes: Buffer): number {
    const taken = Math.min(this.#left, bytes.length);
    this.#left -= taken;
    return taken;
  }
}

class ChunkedBody implements ResponseBody {
  hasEnded = false;
  isBroken = false;
  lines = 0;
  #expects: 'size' | 'data' | 'end of data' | 'trailer' = 'size';
  #line = '';
  #left = 0;

  read(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && !this.hasEnded) {
      at = this.#expects === 'data' ? this.#skipData(bytes, at) : this.#readLine(bytes, at);
    }
    return at;
  }

  #skipData(bytes: Buffer, at: number): number {
    const skipped = Math.min(this.#left, bytes.length - at);
    this.#left -= skipped;
    if (this.#left === 0) this.#expects = 'end of data';
    return at + skipped;
  }

  #readLine(bytes: Buffer, at: number): number {
    this.lines += 1;
    const lineFeed = bytes.indexOf('\n', at);
    const end = lineFeed === -1 ? bytes.length : lineFeed + 1;
    this.#line += bytes.toString('latin1', at, end);
    if (this.#line.length > maxLineLength) this.#breakOff();
    else if (lineFeed !== -1) this.#take(this.#line);
    return end;
  }

  #take(line: string): void {
    this.#line = '';
    if (!line.endsWith('\r\n')) this.isBroken = true;
    const text = line.replace(/\r?\n$/, '');
    if (this.#expects === 'size') this.#takeSize(text);
    else if (this.#expects === 'trailer') this.#takeTrailer(text);
    else if (text === '') this.#expects = 'size';
    else this.#breakOff();
  }

  #takeSize(text: string): void {
    const [, digits, padding] = /^([0-9a-f]{1,12})([ \t]*)(?:;|$)/i.exec(text) ?? [];
    if (padding !== '') this.isBroken = true;
    if (digits === undefined) this.#breakOff();
    else this.#left = Number.parseInt(digits, 16);
    this.#expects = this.#left === 0 ? 'trailer' : 'data';
  }

  #takeTrailer(text: string): void {
    this.hasEnded = text === '';
    if (!this.hasEnded && !trailer.test(text)) this.isBroken = true;
  }

  #breakOff(): void {
    this.isBroken = true;
    this.hasEnded = true;
  }
}
