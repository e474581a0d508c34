import { type Exchange, isSuccess } from '../harness/exchange.ts';
import { expectThat, show } from '../harness/expect.ts';
import { at, listOrNone } from '../harness/json.ts';
import { statusOfCode } from './problem-table.ts';

/** Whether a response is a failure; redirects count as failures. */
export function isFailure(exchange: Exchange): boolean {
  return !isSuccess(exchange);
}

/** Whether a value is a code of the catalogue. */
export function isCode(value: unknown): boolean {
  return typeof value === 'string' && Object.hasOwn(statusOfCode, value);
}

/** Checks code and status only; other checks judge the rest of a problem document. */
export function expectProblem(exchange: Exchange, code: string): void {
  const status = statusOfCode[code];
  const got = `${exchange.status} ${show(at(exchange.json, 'code'))}: ${exchange.text.slice(0, 160)}`;
  expectThat(exchange.status === status && at(exchange.json, 'code') === code, `${status} ${code}`, got);
}

export function expectInvalid(exchange: Exchange): void {
  expectProblem(exchange, 'invalid_request');
}

export function expectNotFound(exchange: Exchange): void {
  expectProblem(exchange, 'not_found');
}

export function expectStatus(exchange: Exchange, status: number): void {
  expectThat(exchange.status === status, `${status}`, `${exchange.status} ${exchange.text.slice(0, 160)}`.trim());
}

/** Expects an `invalid_request` that points at the fault. */
export function expectPointer(exchange: Exchange, pointer: string): void {
  expectInvalid(exchange);
  const errors = at(exchange.json, 'errors');
  expectThat(pointersOf(exchange).includes(pointer), `errors with pointer ${pointer}`, show(errors));
}

/** The places of all faults that a problem document names. */
export function pointersOf({ json }: Exchange): readonly unknown[] {
  return listOrNone(json, 'errors').map((error) => at(error, 'pointer'));
}
