'use strict';
// Preloaded (NODE_OPTIONS) into every process of a test run. What test files load of the tree is handed to
// them through proxies that tell with which plain values its functions are called, and what comes back.
const fs = require('fs');
const Module = require('module');
const path = require('path');
const {pathToFileURL} = require('url');
const {types} = require('util');
const {came, literal, place} = require('./values.cjs');

const FOLDER = '/tmp/assay-calls';
const MOST_CALLS = 60;
const MOST_SEEN = 20_000;
const DEEPEST = 2;
const HIGHEST = 60;

const orders = JSON.parse(fs.readFileSync(`${FOLDER}/orders.json`));
const tests = new Set(orders.tests);
const asked = new Set(orders.paths);
const known = new Map(); // a call → its outcome
const proxies = new WeakMap();
const {appendFileSync} = fs;
let seen = 0;
let isPlaced = false;

const local = file => file.startsWith(`${orders.tree}/`) ? file.slice(orders.tree.length + 1) : '';
const isSource = file => /\.[cm]?js$/.test(file) && local(file) && !tests.has(local(file)) && !file.includes('/node_modules/');

function tell(record) {
	appendFileSync(`${FOLDER}/${process.pid}.jsonl`, `${JSON.stringify(record)}\n`);
}

// The test file that called: the one that has the proxy, or, where that only helps, the outermost.
function caller(own) {
	if (asked.has(own)) {
		return own;
	}

	const {stackTraceLimit} = Error;
	Error.stackTraceLimit = HIGHEST;
	const lines = String(new Error().stack).split('\n').reverse();
	Error.stackTraceLimit = stackTraceLimit;
	for (const line of lines) {
		const at = line.indexOf(`${orders.tree}/`);
		const file = at < 0 ? '' : line.slice(at + orders.tree.length + 1).replace(/[?:].*$/, '');
		if (asked.has(file)) {
			return file;
		}
	}

	return '';
}

function recorded(make, values, where) {
	seen++;
	const text = seen <= MOST_SEEN ? literal(values) : null;
	const key = `${where.module}\n${where.names.join('.')}\n${text}`;
	const own = text === null || (!known.has(key) && known.size >= MOST_CALLS) ? '' : caller(where.path);
	if (!own) {
		return make();
	}

	const call = {module: where.module, name: where.names.join('.'), arguments: text, path: own};
	const one = came(make, values);
	if (typeof one.outcome === 'string') {
		note(key, call, one.outcome);
	} else {
		one.outcome.then(outcome => note(key, call, outcome));
	}

	if (one.isRaised) {
		throw one.result;
	}

	return one.result;
}

function note(key, call, outcome) {
	if (known.get(key) === outcome) {
		return;
	}

	if (!isPlaced) {
		isPlaced = true;
		tell({place: place(orders.tree)});
	}

	known.set(key, outcome);
	tell({...call, outcome});
}

// Returns what stands for a function, or an object of functions, of the tree.
function wrapped(value, where, owner) {
	const isFunction = typeof value === 'function';
	const isObject = typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));
	if ((!isFunction && !isObject) || types.isProxy(value) || where.names.length > DEEPEST) {
		return value;
	}

	const name = `${where.path}\n${where.names.join('.')}`;
	const made = proxies.get(value) ?? new Map();
	proxies.set(value, made);
	if (!made.has(name)) {
		made.set(name, new Proxy(value, handlers(where, owner)));
	}

	return made.get(name);
}

function handlers(where, owner) {
	const apply = (target, self, values) =>
		recorded(() => Reflect.apply(target, owner && proxies.has(owner) ? owner : self, values), values, where);
	const get = (target, key, receiver) => {
		const described = Reflect.getOwnPropertyDescriptor(target, key);
		const isFixed = !described || (!described.configurable && !described.writable && !described.get);
		const value = Reflect.get(target, key, described ? target : receiver);
		const isPart = !isFixed && typeof key === 'string' && key !== 'prototype' && !key.includes('.');
		return isPart ? wrapped(value, {...where, names: [...where.names, key]}, target) : value;
	};

	return {apply, get};
}

// For the modules that stand before the tree's own (hooks.mjs).
function exported(real, name, module, own) {
	return wrapped(real[name], {module, names: [name], path: own});
}

const load = Module._load;
Module._load = function (request, parent, isMain) {
	const found = Reflect.apply(load, this, [request, parent, isMain]);
	const own = parent && parent.filename ? local(parent.filename) : '';
	if (!tests.has(own)) {
		return found;
	}

	let file = '';
	try {
		file = Module._resolveFilename(request, parent, isMain);
	} catch {}

	const names = types.isModuleNamespaceObject(found) ? [] : ['default'];
	return isSource(file) ? wrapped(found, {module: local(file), names, path: own}) : found;
};

if (Module.register) {
	const data = {...orders, record: pathToFileURL(__filename).href};
	Module.register(pathToFileURL(path.join(__dirname, 'hooks.mjs')), {data});
}

module.exports = {exported};
