import { startOfTest } from '../values/builders.ts';
import { askedTable } from './asked-table.ts';
import { heardIo } from './io.ts';
import { RecordTable } from './record-table.ts';

/**
 * A table in this process, what it holds, and the names of the requests to it, such as `get RUN`.
 *
 * @param hear called before each request has an effect; throws to fail it
 */
export function heardTable(hear: (request: string) => void = () => {}) {
  const records = new RecordTable(() => startOfTest);
  const asked: string[] = [];
  const table = askedTable(records, {
    io: heardIo((request) => {
      asked.push(request);
      hear(request);
    }),
  });
  return { table, records, asked };
}
