import { bundleFunctions } from '../lib/build/bundle.ts';

await bundleFunctions();
