import { runScript } from '../tools/webhooks/run-webhooks.ts';

await runScript('npm run emit --', 'emit');
