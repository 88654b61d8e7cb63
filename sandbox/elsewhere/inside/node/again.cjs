'use strict';
// Preloaded (NODE_OPTIONS) into every process of a test run whose test files are replaced by ours: they make
// recorded calls once more, under the same runner, without anything that the tests set up.
const fs = require('fs');
const Module = require('module');
const path = require('path');
const {pathToFileURL} = require('url');
const jest = require('./jest.cjs');
const {called, made, place} = require('./values.cjs');

const FOLDER = '/tmp/assay-calls';
const TIMES = 3;
const WATCHER = path.resolve(__dirname, '../../../harness/node/uvu.cjs'); // it publishes a global
const OF_LIBRARIES = new Set(['ava', 'tap', 'tape', 'uvu']);
// What jest and vitest set themselves. Any other variable that the run was not given is of the project's set-up;
// the time zone is the plain program's too.
const THEIR_VARIABLES = /^(?:NODE_(?:ENV|OPTIONS|CHANNEL_\w+|UNIQUE_ID|V8_COVERAGE)|JEST_WORKER_ID|VITEST(?:_(?:WORKER_ID|POOL_ID|MODE))?|TINYPOOL_WORKER_ID|TEST|MODE|DEV|PROD|SSR|BASE_URL|FORCE_COLOR|TZ|ASSAY_\w+|PATH|PWD|SHLVL|_)$/;
const OF_RUNNERS = /^x?(?:describe|context|it|specify|before(?:All|Each)?|after(?:All|Each)?|before_each|after_each|run|jasmine|jsApiReporter|getSpecProperty|expect(?:Async)?|fail|fdescribe|fit|pending|spyOn\w*|set(?:Spec|Suite)Property|throwUnless\w*)$/;

const orders = JSON.parse(fs.readFileSync(`${FOLDER}/orders.json`));
const variables = {...process.env};
const globals = new Set(Object.getOwnPropertyNames(globalThis));
const testFiles = new Set(orders.tests);
const {appendFileSync} = fs;
const local = file => file.startsWith(`${orders.tree}/`) ? file.slice(orders.tree.length + 1) : '';

// A program beside the tests has none of what a set-up file left: calls are not compared then.
function isPrepared() {
	const ours = (require.cache[WATCHER] || {exports: {}}).exports.NAME;
	const names = Object.getOwnPropertyNames(globalThis).filter(name => !globals.has(name) && name !== ours && !OF_RUNNERS.test(name));
	const all = new Set([...Object.keys(variables), ...Object.keys(process.env)]);
	const changed = [...all].filter(name => !/^(?:ASSAY_|TAP|TS_NODE_TRANSPILE_ONLY$)/.test(name) && process.env[name] !== variables[name]);
	const loaded = Object.keys(require.cache).map(local).filter(file => file && !testFiles.has(file) && !/(?:^|\/)(?:node_modules\/|\.)|\.json$/.test(file));
	return names.length > 0 || changed.length > 0 || loaded.length > 0;
}

function tell(record) {
	appendFileSync(`${FOLDER}/${process.pid}.jsonl`, `${JSON.stringify(record)}\n`);
}

// Returns what two tests do, one after the other: the first loads what the second calls.
function tests(file, given) {
	const found = [];
	const load = async () => {
		tell({place: place(orders.tree)});
		for (const call of orders.calls.filter(one => one.path === file)) {
			try {
				found.push([call, await called(call, given)]);
			} catch {} // It cannot be had here.
		}
	};

	const make = () => {
		const times = orders.calls.length > 1 ? 1 : TIMES;
		const outcomes = new Map();
		const note = (call, outcome) => {
			const all = [...outcomes.get(call) || [], outcome];
			outcomes.set(call, all);
			if (all.length === times) {
				tell({number: call.number, outcome: all[0], unsteady: all.some(one => one !== all[0])});
			}
		};

		return inARow(found.flatMap(([call, one]) => Array.from({length: times}, () => [call, one])), note, given);
	};

	return [load, make];
}

// Calls what answers at once without a pause, so that the runner is on its stack.
function inARow(calls, note, given) {
	for (const [number, [call, found]] of calls.entries()) {
		let outcome = '';
		try {
			outcome = made(call, found, given);
		} catch {} // It cannot be had here.

		if (typeof outcome !== 'string') {
			return outcome.then(text => {
				note(call, text);
				return inARow(calls.slice(number + 1), note, given);
			});
		}

		note(call, outcome);
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
	const all = tests(file, given);
	const add = it => all.forEach(test => it('calls', test));
	if (orders.sets_up) {
		withoutSetUp(process.env);
		add(given.it);
	} else if (isPrepared()) {
		return;
	} else if (orders.runner === 'node --test') {
		add(require('node:test').test);
	} else if (orders.runner === 'jasmine') {
		globalThis.beforeAll(all[0]); // its tests run in any order
		globalThis.it('calls', all[1]);
	} else if (typeof globalThis.it === 'function') {
		add(globalThis.it);
	} else if (OF_LIBRARIES.has(orders.runner)) {
		underLibrary(Module.createRequire(path.join(orders.tree, file))(orders.runner), all);
	} else {
		all[0]().then(all[1]);
	}
}

function underLibrary(library, all) {
	const test = library.serial || library.test || library.default?.serial || library.default || library;
	for (const [number, one] of all.entries()) {
		test(`calls ${number}`, t => {
			const ended = () => {
				(t?.pass ?? Boolean).call(t, 'called');
				if (orders.runner !== 'ava') {
					t?.end?.();
				}
			};

			const done = one();
			return done ? done.then(ended) : ended();
		});
	}

	test.run?.();
}

const vitest = {options: {setupFiles: []}, plugins: async () => []};
Object.defineProperty(globalThis, Symbol.for('assay'), {value: {run, vitest}});
jest.bare({
	isOurs: file => orders.paths.includes(local(file)),
	isTest: file => testFiles.has(local(file)),
	prepare(realm) {
		withoutSetUp(realm.process.env);
		Object.defineProperty(realm, Symbol.for('assay'), {value: {run}, configurable: true});
	},
});
const compile = Module.prototype._compile;
Module.prototype._compile = function (content, filename, ...rest) {
	const file = local(filename);
	return Reflect.apply(compile, this, [testFiles.has(file) ? orders.laid[file] ?? '' : content, filename, ...rest]);
};

if (Module.register) {
	Module.register(pathToFileURL(path.join(__dirname, 'hooks.mjs')), {data: orders});
}
