/** What a section of the page says about its benchmark, in the order of the page. */
export type Section = {
  /** Name of the benchmark. */
  readonly benchmark: string;
  readonly heading: string;
  /** What was measured, and how to read it. */
  readonly text: string;
};

export const sections: readonly Section[] = [
  {
    benchmark: 'units',
    heading: 'Units and price of an event',
    text:
      'What AWS bills for an event, counted by proxies before the emulators of the local stack: capacity units of ' +
      'DynamoDB, requests of SQS and Lambda, schedules, decryptions and log bytes. Units do not depend on the machine. ' +
      'The floor is what a service needs at least that stores each delivery and its outcome.',
  },
  {
    benchmark: 'pipeline',
    heading: 'Throughput, latency and CPU time',
    text:
      'Events go through the intake queue to https endpoints, with certificates verified and signatures checked. ' +
      'Times depend on the machine and its load. The ratio to the floor, one signed write and one signed POST in the ' +
      'same run, depends on them much less.',
  },
  {
    benchmark: 'neighbour',
    heading: 'Quick endpoints beside a slow one',
    text:
      'How long events for quick endpoints take while another endpoint answers late or never. A deployed stage adds ' +
      'functions as messages wait; the local stack does the same within the machine.',
  },
  {
    benchmark: 'cold-start',
    heading: 'Cold starts',
    text:
      'A new process starts, imports one bundle and answers one real event. The ratio compares with a handler that ' +
      'does nothing, which needs the start of Node.js alone.',
  },
  {
    benchmark: 'memory',
    heading: 'Memory',
    text:
      'The delivery function reads the head of a response and a bounded part of its body. So its memory depends on how ' +
      'many deliveries are in flight, not on what a receiver sends, and settles after a few rounds.',
  },
  {
    benchmark: 'growth',
    heading: 'Growth with stored records',
    text:
      'Each request on tables that differ only in how much they hold. Every request reads and writes by key, and a ' +
      'page begins at the position in its cursor. So units are equal, and time varies only as the emulator does.',
  },
];
