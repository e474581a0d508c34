import type { Service } from '../../support/memory/io.ts';
import type { Fault } from './faults.ts';

/** What a receiver does with a POST. */
export const answers = [
  'ok',
  'ok_slow',
  'ok_too_late',
  'no_content',
  'error',
  'redirect',
  'hang',
  'reset',
  'refused',
  'no_such_host',
] as const;
export type Answer = (typeof answers)[number];

/** A request about one thing, `times` times. `stranger`: by a customer that does not own it. */
type Several = { readonly pick: number; readonly times: number; readonly stranger: boolean };

/** What people and systems do. `pick` chooses among what there is at that time, from the newest on. */
export type Action = {
  /** Milliseconds since the action before; with 0 they happen at once. */
  readonly after: number;
} & (
  | { readonly do: 'register'; readonly customer: number; readonly times: number }
  | {
      readonly do: 'emit';
      readonly customer: number;
      readonly about: 'run' | 'report';
      readonly subject: number;
      /** What the message says beyond its subject; a repeat may say something else. */
      readonly variant: number;
      readonly times: number;
    }
  | (Several & { readonly do: 'delete' })
  | (Several & { readonly do: 'rotate' })
  | (Several & { readonly do: 'replay' })
  | { readonly do: 'spread'; readonly pick: number; readonly partitions: number }
  | { readonly do: 'outage'; readonly service: Service; readonly lasts: number }
  | {
      readonly do: 'garbage';
      readonly queue: 'intake' | 'delivery';
      readonly kind: 'text' | 'ghost' | 'full';
    }
  | { readonly do: 'power_cut' }
);

/** One run: all that happens in it follows from this. */
export type Script = {
  /** Of latencies, orders and sizes, where nothing else says them. */
  readonly seed: number;
  /** Active endpoints of each of the two customers at the beginning. */
  readonly endpoints: readonly [number, number];
  /** Endpoints that each of them had deleted long before; none unless said. */
  readonly deletedBefore?: number;
  /** What each endpoint's receiver answers to events in turn, from the beginning again after the last. */
  readonly receivers: readonly (readonly Answer[])[];
  /** What the receiver answers to each registration's handshake in turn. */
  readonly handshakes: readonly Answer[];
  readonly actions: readonly Action[];
  readonly faults: readonly Fault[];
  /** Milliseconds after the last action in which faults still strike. */
  readonly stormLasts: number;
  /** Whether the storm ends with all functions killed at once. */
  readonly endsWithPowerCut: boolean;
  readonly maxReceiveCount: number;
};
