import type { Exchange } from '../harness/exchange.ts';
import { isSuccess } from '../harness/exchange.ts';
import { at, expectThat, show } from '../harness/expect.ts';

/** Whether a response is a failure; redirects count as failures. */
export function isFailure(exchange: Exchange): boolean {
  return !isSuccess(exchange);
}

/** Checks code and status only; other checks judge the rest of a problem document. */
export function expectProblem(exchange: Exchange, status: number, code: string): void {
  const got = `${exchange.status} ${show(at(exchange.json, 'code'))}: ${exchange.text.slice(0, 160)}`;
  expectThat(exchange.status === status && at(exchange.json, 'code') === code, `${status} ${code}`, got);
}

export function expectStatus(exchange: Exchange, status: number): void {
  expectThat(
    exchange.status === status,
    `${status}`,
    `${exchange.status} ${exchange.text.slice(0, 160)}`.trim(),
  );
}

/** Expects an `invalid_request` that points at the fault. */
export function expectPointer(exchange: Exchange, pointer: string): void {
  expectProblem(exchange, 400, 'invalid_request');
  const errors = at(exchange.json, 'errors');
  const pointers = Array.isArray(errors) ? errors.map((error) => at(error, 'pointer')) : [];
  expectThat(pointers.includes(pointer), `errors with pointer ${pointer}`, show(errors));
}
