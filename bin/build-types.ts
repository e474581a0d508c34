import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

// Without the names of files: openapi-typescript takes them for URLs, and finds nothing in a folder such as `C#`.
const { status, stdout } = spawnSync(process.execPath, ['test/clients/node_modules/openapi-typescript/bin/cli.js'], {
  input: readFileSync('docs/openapi.json'),
  stdio: ['pipe', 'pipe', 'inherit'],
});
if (status === 0) writeFileSync('packages/api-client/schema.ts', stdout);
process.exitCode = status ?? 1;
