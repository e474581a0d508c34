import { useState } from 'preact/hooks';
import type { BulkReplayRequest } from '../../api/records.ts';
import { eventTypes } from '../../api/service-facts.ts';
import { Choice, type Options, TextField } from '../../parts/fields.tsx';
import { narrowed } from './replay-text.ts';

/** A bulk replay leaves test events out. */
const types: Options = [
  ['', 'Any'],
  ...eventTypes.filter((type) => type !== 'webhook.test').map((type): Options[number] => [type, type]),
];

const responses: Options = [
  ['', 'Any'],
  ['5xx', '5xx'],
  ['4xx', '4xx'],
  ['3xx', '3xx'],
  ['none', 'No response'],
  ['timed_out', 'Timeout'],
  ['dns_failed', 'DNS failed'],
  ['connection_failed', 'Connection failed'],
  ['tls_failed', 'TLS failed'],
];

/** What a bulk replay takes of all that failed, and the fields for it. */
export function useNarrowing() {
  const [type, setType] = useState('');
  const [response, setResponse] = useState('');
  const [source, setSource] = useState('');
  const fields = (
    <details>
      <summary>Only some of them, or those of another endpoint</summary>
      <Choice label="Type" value={type} options={types} onChange={setType} />
      <Choice label="Last response" value={response} options={responses} onChange={setResponse} />
      <TextField
        label="Id of another endpoint, such as one that you deleted"
        value={source}
        onText={setSource}
        error={null}
        input={{ placeholder: 'whe_…', spellcheck: false }}
      />
    </details>
  );
  const narrow = (request: BulkReplayRequest) => narrowed(request, { type, response, source });
  return { fields, narrow };
}
