import { runScript } from '../tools/webhook-delivery/run-webhook-delivery.ts';

await runScript('npm run smoke --', 'smoke');
