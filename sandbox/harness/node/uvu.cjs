'use strict';
// Lets uvu tell of its tests: it has no reporters, so a few lines of its own source call ours.
const NAME = `assay ${process.pid} ${Date.now()}`;
const FILE = /[\\/]node_modules[\\/]uvu[\\/]dist[\\/]index\.m?js$/;

const FIRST = 'const assay = ';
const LINES = [
	[/push\(\{\s*name,\s*handler\s*\}\)/, 'push({name, handler, place: assay.place()})'],
	[/await test\.handler\(/, 'assay.begun(name, test); await test.handler('],
	[/write\(PASS\);/, 'write(PASS); assay.told(name, test);'],
	[/write\(FAIL\);/, 'write(FAIL); assay.told(name, test, err);'],
	[/let msg = /, 'assay.ended(name, arr); let msg = '],
];

exports.isUvu = filename => FILE.test(String(filename).replace(/\?.*$/, ''));

exports.patched = (source, name) => {
	if (source.startsWith(FIRST)) {
		return source;
	}

	let text = source;
	for (const [line, ours] of LINES) {
		if (!line.test(text)) {
			throw new Error('Assay does not know this version of uvu.');
		}

		text = text.replace(line, ours);
	}

	const global = typeof globalThis === 'object' ? 'globalThis' : 'global';
	return `${FIRST}${global}[${JSON.stringify(name)}]; delete ${global}[${JSON.stringify(name)}];${text}`;
};

exports.publish = watcher => {
	Object.defineProperty(global, NAME, {value: watcher, enumerable: false, configurable: true});
	return NAME;
};

exports.NAME = NAME;
