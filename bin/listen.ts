import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// The modules below load in half the time once they are compiled, so they must load after this call.
enableCompileCache(fileURLToPath(new URL('../dist/compile-cache', import.meta.url)));
const { runScript } = await import('../tools/webhook-delivery/run-webhook-delivery.ts');

await runScript('npm run listen --', 'listen');
