'use strict';
// Preloaded (NODE_OPTIONS) into every process of a test run whose test files are replaced by ours: they make
// recorded calls once more, under the same runner, without anything that the tests set up.
const fs = require('fs');
const Module = require('module');
const path = require('path');
const {pathToFileURL} = require('url');
const jest = require('./jest.cjs');
const {again, place} = require('./values.cjs');

const FOLDER = '/tmp/assay-calls';
const TIMES = 3;
const WATCHER = path.resolve(__dirname, '../../../harness/node/uvu.cjs'); // it publishes a global
const OF_LIBRARIES = new Set(['ava', 'tap', 'tape', 'uvu']);
// What jest and vitest set themselves. Any other variable that the run was not given is of the project's set-up.
const THEIR_VARIABLES = /^(?:NODE_(?:ENV|OPTIONS|CHANNEL_\w+|UNIQUE_ID|V8_COVERAGE)|JEST_WORKER_ID|VITEST(?:_(?:WORKER_ID|POOL_ID|MODE))?|TINYPOOL_WORKER_ID|TEST|MODE|DEV|PROD|SSR|BASE_URL|FORCE_COLOR|ASSAY_\w+|PATH|PWD|SHLVL|_)$/;
const OF_RUNNERS = /^x?(?:describe|context|it|specify|before(?:All|Each)?|after(?:All|Each)?|before_each|after_each|run|jasmine|expect(?:Async)?|fail|fdescribe|fit|pending|spyOn\w*|set(?:Spec|Suite)Property|throwUnless\w*)$/;

const orders = JSON.parse(fs.readFileSync(`${FOLDER}/orders.json`));
const variables = {...process.env};
const globals = new Set(Object.getOwnPropertyNames(globalThis));
const tests = new Set(orders.tests);
const {appendFileSync} = fs;
const local = file => file.startsWith(`${orders.tree}/`) ? file.slice(orders.tree.length + 1) : '';

// A program beside the tests has none of what a set-up file left: calls are not compared then.
function isPrepared() {
	const ours = (require.cache[WATCHER] || {exports: {}}).exports.NAME;
	const names = Object.getOwnPropertyNames(globalThis).filter(name => !globals.has(name) && name !== ours && !OF_RUNNERS.test(name));
	const all = new Set([...Object.keys(variables), ...Object.keys(process.env)]);
	const changed = [...all].filter(name => !name.startsWith('ASSAY_') && process.env[name] !== variables[name]);
	const loaded = Object.keys(require.cache).map(local).filter(file => file && !tests.has(file) && !/(?:^|\/)(?:node_modules\/|\.)/.test(file));
	return names.length > 0 || changed.length > 0 || loaded.length > 0;
}

function tell(record) {
	appendFileSync(`${FOLDER}/${process.pid}.jsonl`, `${JSON.stringify(record)}\n`);
}

async function calls(file, given) {
	tell({place: place(orders.tree)});
	const times = orders.calls.length > 1 ? 1 : TIMES;
	for (const call of orders.calls.filter(one => one.path === file)) {
		const found = [];
		try {
			while (found.length < times) {
				found.push(await again(call, given));
			}
		} catch {
			continue; // it cannot be had here
		}

		tell({number: call.number, outcome: found[0], unsteady: found.some(one => one !== found[0])});
	}
}

function withoutSetUp(environment) {
	for (const name of Object.keys(environment)) {
		if (orders.environment[name] !== environment[name] && !THEIR_VARIABLES.test(name)) {
			delete environment[name];
		}
	}
}

// What a test file calls with its path, and with functions of its own that load, read and call.
function run(file, given) {
	const test = () => calls(file, given);
	if (orders.sets_up) {
		withoutSetUp(process.env);
		given.it('calls', test);
	} else if (isPrepared()) {
		return;
	} else if (orders.runner === 'node --test') {
		require('node:test').test('calls', test);
	} else if (typeof globalThis.it === 'function') {
		globalThis.it('calls', test);
	} else if (OF_LIBRARIES.has(orders.runner)) {
		underLibrary(Module.createRequire(path.join(orders.tree, file))(orders.runner), test);
	} else {
		test();
	}
}

function underLibrary(library, make) {
	const test = library.test || library.default || library;
	test('calls', async t => {
		await make();
		for (const end of t ? ['pass', 'end'] : []) {
			if (orders.runner !== 'ava' || end === 'pass') {
				t[end]('called');
			}
		}
	});
	if (test.run) {
		test.run();
	}
}

const vitest = {options: {setupFiles: []}, plugins: async () => []};
Object.defineProperty(globalThis, Symbol.for('assay'), {value: {run, vitest}});
jest.bare(file => orders.paths.includes(local(file)), realm => {
	withoutSetUp(realm.process.env);
	Object.defineProperty(realm, Symbol.for('assay'), {value: {run}});
});
const compile = Module.prototype._compile;
Module.prototype._compile = function (content, filename, ...rest) {
	const file = local(filename);
	return Reflect.apply(compile, this, [tests.has(file) ? orders.laid[file] ?? '' : content, filename, ...rest]);
};

if (Module.register) {
	Module.register(pathToFileURL(path.join(__dirname, 'hooks.mjs')), {data: orders});
}
