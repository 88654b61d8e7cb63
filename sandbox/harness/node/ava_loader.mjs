// The loader's side of ava_hook.mjs.
const OWN = new URL('ava.cjs', import.meta.url).href;

export async function load(url, context, next) {
	if (/\/node_modules\/ava\/lib\/reporters\/tap\.js$/.test(url)) {
		return {format: 'module', shortCircuit: true, source: `export {default} from ${JSON.stringify(OWN)};`};
	}

	return next(url, context);
}
