'use strict';
// Preloaded (NODE_OPTIONS) into every process of a test run whose test files are replaced by ours: they make
// recorded calls once more, under the same runner, without anything that the tests set up.
const fs = require('fs');
const Module = require('module');
const path = require('path');
const {pathToFileURL} = require('url');
const {again, place} = require('./values.cjs');

const FOLDER = '/tmp/assay-calls';
const TIMES = 3;
const WATCHER = path.resolve(__dirname, '../../../harness/node/uvu.cjs'); // it publishes a global
const OF_RUNNERS = /^x?(?:describe|context|it|specify|before|after|beforeEach|afterEach|before_each|after_each|run)$/;

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

async function calls(file, make) {
	tell({place: place(orders.tree)});
	const times = orders.calls.length > 1 ? 1 : TIMES;
	for (const call of orders.calls.filter(one => one.path === file)) {
		const found = [];
		try {
			while (found.length < times) {
				found.push(await again(call, make));
			}
		} catch {
			continue; // it cannot be had here
		}

		tell({number: call.number, outcome: found[0], unsteady: found.some(one => one !== found[0])});
	}
}

// What a test file calls with its path and with a function of its own that makes one call.
function run(file, make) {
	if (isPrepared()) {
		return;
	}

	const test = () => calls(file, make);
	if (orders.runner === 'node --test') {
		require('node:test').test('calls', test);
	} else if (typeof globalThis.it === 'function') {
		globalThis.it('calls', test);
	} else {
		test();
	}
}

const laid = {};
for (const file of orders.paths) {
	laid[file] = `globalThis[Symbol.for('assay')].run(${JSON.stringify(file)}, (call, self, values) => call.apply(self, values));`;
}

Object.defineProperty(globalThis, Symbol.for('assay'), {value: {run}});
const compile = Module.prototype._compile;
Module.prototype._compile = function (content, filename, ...rest) {
	const file = local(filename);
	return Reflect.apply(compile, this, [tests.has(file) ? laid[file] ?? '' : content, filename, ...rest]);
};

if (Module.register) {
	Module.register(pathToFileURL(path.join(__dirname, 'hooks.mjs')), {data: {...orders, laid}});
}
