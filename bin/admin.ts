import { runScript } from '../tools/webhooks/run-webhooks.ts';

await runScript('npm run admin --', 'admin');
