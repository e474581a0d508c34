import { bodyOf, type ResponseBody } from './response-body.ts';
import { type HeadFault, parseResponseHead, type ResponseHead } from './response-head.ts';

/** Maximum bytes of one head, interim or final. */
const maxHeadBytes = 64 * 1024;

/** Interim responses and line ends can be endless, and reading them would take time from other attempts. */
const maxBytesToBody = 2 * maxHeadBytes;

const start = 'HTTP/';

export type ResponseFault = HeadFault | 'headers_too_large';

/**
 * Reads the response to one request and keeps nothing but its head. Whatever leaves a doubt about where the response
 * ends makes the connection unfit for another request, so that no byte of this response can answer another one.
 */
export class ResponseReader {
  #bytesToBody = 0;
  #text = '';
  /** Position before which the text has no end of a head. */
  #searched = 0;
  #head: ResponseHead | null = null;
  #fault: ResponseFault | null = null;
  #body: ResponseBody | null = null;
  #hasExcess = false;

  /** Whether anything came. */
  get hasBegun(): boolean {
    return this.#bytesToBody > 0;
  }

  /** The head of the final response, once it is complete. */
  get head(): ResponseHead | null {
    return this.#head;
  }

  /** Why no head can come. */
  get fault(): ResponseFault | null {
    return this.#fault;
  }

  /** Whether the response is complete. One without a length ends with its connection. */
  get hasEnded(): boolean {
    return this.#body?.hasEnded === true;
  }

  /** How many lines of the body were read: each takes time, however few bytes it has. */
  get linesOfBody(): number {
    return this.#body?.lines ?? 0;
  }

  /** Whether the connection may carry another request after a complete response. */
  get leavesConnectionUsable(): boolean {
    return this.hasEnded && !this.#hasExcess && this.#head?.isPersistent === true && !this.#body?.isBroken;
  }

  read(chunk: Buffer): void {
    if (this.#fault !== null) return;
    const ofBody = this.#body === null ? this.#readHeads(chunk) : chunk;
    if (this.#body !== null && this.#body.read(ofBody) < ofBody.length) this.#hasExcess = true;
  }

  /** @returns the bytes after the final head */
  #readHeads(chunk: Buffer): Buffer {
    this.#bytesToBody += chunk.length;
    this.#text += chunk.toString('latin1');
    while (this.#readHead());
    const left = this.#head === null ? 0 : this.#text.length;
    if (this.#head !== null) this.#text = '';
    return chunk.subarray(chunk.length - left);
  }

  /** @returns whether it was an interim one, after which another one follows */
  #readHead(): boolean {
    this.#skipLineEnds();
    const end = this.#findEnd();
    this.#fault = this.#faultOf(end ?? this.#text.length);
    if (end === null || this.#fault !== null) return false;
    const head = parseResponseHead(this.#text.slice(0, end));
    this.#text = this.#text.slice(end);
    this.#searched = 0;
    if (typeof head === 'string') {
      this.#fault = head;
    } else if (head.isInterim) {
      if (!head.isPersistent) this.#hasExcess = true;
    } else {
      this.#head = head;
      this.#body = bodyOf(head);
    }
    return typeof head !== 'string' && head.isInterim;
  }

  /** Empty lines before a head are no part of it, but may be the rest of an earlier response. */
  #skipLineEnds(): void {
    if (!/^[\r\n]/.test(this.#text)) return;
    this.#text = this.#text.replace(/^[\r\n]+/, '');
    this.#hasExcess = true;
  }

  /** @returns the position after the empty line that ends the head */
  #findEnd(): number | null {
    const emptyLine = /\n\r{0,2}\n|\r\r(?=[^\r\n])/g;
    emptyLine.lastIndex = Math.max(0, this.#searched - 3);
    const isFound = emptyLine.test(this.#text);
    this.#searched = this.#text.length;
    return isFound ? emptyLine.lastIndex : null;
  }

  #faultOf(length: number): ResponseFault | null {
    const begin = this.#text.slice(0, start.length).toUpperCase();
    if (!start.startsWith(begin)) return 'not_http';
    return length > maxHeadBytes || this.#bytesToBody - this.#text.length + length > maxBytesToBody
      ? 'headers_too_large'
      : null;
  }
}
