import { bundleFunctions } from '../lib/bundle.ts';

await bundleFunctions();
