// For uvu as an ES module: loaded by --import behind script.cjs.
import {createRequire, register} from 'node:module';
import {isMainThread} from 'node:worker_threads';

if (isMainThread) {
	const {NAME} = createRequire(import.meta.url)('./uvu.cjs');
	register('./script_loader.mjs', import.meta.url, {data: NAME});
}
