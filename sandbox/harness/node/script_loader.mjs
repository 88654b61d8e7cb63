// The loader's side of script_hook.mjs.
import {createRequire} from 'node:module';

const {isUvu, patched, NAME} = createRequire(import.meta.url)('./uvu.cjs');
let name = NAME; // Before node 20 a loader is in the thread of the tests.

export function initialize(data) {
	name = data;
}

export async function load(url, context, next) {
	const loaded = await next(url, context);
	if (isUvu(url) && loaded.source) {
		return {...loaded, source: patched(String(loaded.source), name)};
	}

	return loaded;
}
