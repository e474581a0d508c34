import type { ReplayableStatus } from '#shared/domain/bulk-replay.ts';
import type { Service } from '../../support/table/io.ts';
import type { Fault } from './faults.ts';

/** What a receiver does with a POST. */
export const answers = [
  'ok',
  'ok_slow',
  'ok_after_a_second',
  'ok_too_late',
  'ok_held_open',
  'no_content',
  'error',
  'redirect',
  'hang',
  'reset',
  'refused',
  'no_such_host',
] as const;
export type Answer = (typeof answers)[number];

export const queueNames = ['intake', 'delivery', 'slowDelivery', 'replay'] as const;
export type QueueName = (typeof queueNames)[number];

/**
 * A call about one record, made `times` times. `stranger`: by a customer who does not own it. `keyed`: all of them with the
 * same `Idempotency-Key`; by default without one.
 */
export type Several = {
  readonly pick: number;
  readonly times: number;
  readonly stranger: boolean;
  readonly keyed?: boolean;
};

/** An action of a person or a system. `pick` chooses among the records of that time, counted from the newest. */
export type Action = {
  /** Milliseconds since the action before; with 0 they happen at once. */
  readonly after: number;
} & (
  | {
      readonly do: 'register';
      readonly customer: number;
      readonly times: number;
      readonly keyed?: boolean;
    }
  | {
      readonly do: 'emit';
      readonly customer: number;
      readonly about: 'run' | 'report';
      readonly subject: number;
      /** The contents of the message beyond its subject; a repeat may differ. */
      readonly variant: number;
      readonly times: number;
    }
  | (Several & { readonly do: 'delete' })
  | (Several & { readonly do: 'rotate' })
  | (Several & { readonly do: 'replay' })
  /** Bulk replays of an endpoint. */
  | (Several & {
      readonly do: 'replay_all';
      readonly status: ReplayableStatus;
      /** Picks the endpoint whose deliveries are sent; by default the same one. */
      readonly source?: number;
    })
  | (Several & { readonly do: 'cancel' })
  /** Credentials of a customer, and their use. `minutes`: until a link ends. */
  | {
      readonly do: 'give';
      readonly customer: number;
      readonly by: 'link' | 'token';
      readonly minutes: number;
    }
  | { readonly do: 'revoke'; readonly pick: number; readonly times: number }
  | { readonly do: 'sign_in'; readonly pick: number; readonly times: number; readonly registers: boolean }
  /** A customer is deleted with everything. */
  | { readonly do: 'close'; readonly customer: number }
  | { readonly do: 'spread'; readonly pick: number; readonly partitions: number }
  | { readonly do: 'outage'; readonly service: Service; readonly lasts: number }
  | {
      readonly do: 'garbage';
      readonly queue: QueueName;
      readonly kind: 'text' | 'ghost' | 'full';
    }
  | { readonly do: 'power_cut' }
);

/** The actions of one kind. */
export type Act<D extends Action['do']> = Extract<Action, { do: D }>;

/** One run. Everything that happens in it follows from this. */
export type Script = {
  /** Determines latencies, orders and sizes that the script does not state. */
  readonly seed: number;
  /** Active endpoints of each of the two customers at the beginning. */
  readonly endpoints: readonly [number, number];
  /** Whether the endpoints at the beginning were marked as slow in the two minutes before. */
  readonly slowBefore?: boolean;
  /** Events to every endpoint of the first customer that ended before the run, and how; none by default. */
  readonly endedBefore?: { readonly events: number; readonly as: ReplayableStatus };
  /** Days for which finished deliveries are kept; `null`, the default, keeps them. */
  readonly retentionDays?: number | null;
  /** Endpoints that each customer deleted long before the run; 0 by default. */
  readonly deletedBefore?: number;
  /** The responses of each endpoint's receiver to events, in turn; after the last, it begins again. */
  readonly receivers: readonly (readonly Answer[])[];
  /** The responses to the handshakes of registrations, in turn. */
  readonly handshakes: readonly Answer[];
  readonly actions: readonly Action[];
  readonly faults: readonly Fault[];
  /** Milliseconds after the last action in which faults still strike. */
  readonly stormLasts: number;
  /** Whether the storm ends with all functions killed at once. */
  readonly endsWithPowerCut: boolean;
  readonly maxReceiveCount: number;
};
