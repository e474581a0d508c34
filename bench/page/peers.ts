import type { BenchTable } from '../bench.ts';

/** Measured once by hand: `npm run bench` does not install other systems. */
export const peers: BenchTable = {
  title: 'Other webhook services',
  columns: ['', 'this service 0.2.0, local stack', 'Svix server 1.100', 'Outpost f67ae011'],
  rows: [
    ['deliveries a second, 1 endpoint', 125, 614, 848],
    ['deliveries a second, 10 endpoints', 122, 613, 977],
    ['CPU-ms for a delivery, all processes', '13.7', '2.5', '1.8'],
    ['of that the service, without databases and queues', '10.5', '1.3', '1.0'],
    ['event sent to POST at 30 a second, p50 / p99, ms', '19.4 / 52.1', '4.2 / 23.9', '5.4 / 57.8'],
    ['peak memory of the whole system, MB', '1,037', '401', '799'],
    ['first and last page of 50 deliveries, ms', '28.5 / 27.0, of 20,000', '-', '3.0 / 12.1, of 40,000'],
    ['durable', 'records and queue on disk', 'records on disk, queue in memory', 'records and queue on disk'],
  ],
  notes: [
    'Measured on 22 November 2026 on one machine with two cores and 24 GB, within one hour, in turn, three runs each; ' +
      'medians. It was a version of this service before the results above.',
    'All delivered 287 bytes by https to the same receiver, with certificates verified. Nothing was lost or sent twice.',
    'Svix ran with PostgreSQL 15, and with queue and cache in memory. Outpost ran with Redis, PostgreSQL 15 and RabbitMQ, ' +
      'with concurrencies of 32, 64 and 16.',
    'Both are long-running servers. This service runs as functions: here on emulators of AWS, which take part of its ' +
      'time and memory. Deployed, it has no process while idle.',
  ],
};
