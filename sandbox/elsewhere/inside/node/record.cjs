'use strict';
// Preloaded (NODE_OPTIONS) into every process of a test run. What test files load of the tree is handed to
// them through proxies that tell with which plain values its functions are called, and what comes back.
const fs = require('fs');
const Module = require('module');
const path = require('path');
const {pathToFileURL} = require('url');
const {types} = require('util');
const jest = require('./jest.cjs');
const {watch} = require('./objects.cjs');
const {placesIn} = require('./places.cjs');
const {watching} = require('./stubs.cjs');
const {builtIn, came, isNamespace, literal, place} = require('./values.cjs');

const FOLDER = '/tmp/assay-calls';
const MOST_CALLS = 400;
const MOST_SEEN = 20_000;
const MOST_OTHERS = 100;
const DEEPEST = 2;
const HIGHEST = 60;

const orders = JSON.parse(fs.readFileSync(`${FOLDER}/orders.json`));
const tests = new Set(orders.tests);
const asked = new Set(orders.paths);
const known = new Map(); // a call → its outcome
const said = new Set([...orders.said, 'undefined', 'null', 'true', 'false']);
const unread = new Set(); // functions that are called with what is no plain value
const others = new Set(); // what is noted besides
const proxies = new WeakMap();
const resolved = new Set();
const {appendFileSync} = fs;
let seen = 0;
let isPlaced = false;

const local = placesIn(orders.tree);
const isSource = file => /\.[cm]?[jt]sx?$/.test(file) && local(file) && !tests.has(local(file)) && !file.includes('/node_modules/');

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
		const file = at < 0 ? '' : local(line.slice(at).replace(/[?:].*$/, ''));
		if (asked.has(file)) {
			return file;
		}
	}

	return '';
}

// Notes a call; of a method `of` is its object as text (objects.cjs).
function recorded(make, values, where, of) {
	seen++;
	const plain = seen <= MOST_SEEN ? literal(values) : null;
	const text = plain && of ? `[${of}${plain === '[]' ? '' : ', '}${plain.slice(1)}` : plain;
	const key = `${where.module}\n${where.names.join('.')}\n${text}`;
	const stood = text === null && of === undefined && seen <= MOST_SEEN ? withStubs(values) : null;
	if (stood !== null) {
		noteOther('with', stood, where);
	}

	const other = text === null && of === undefined && !unread.has(key) && caller(where.path);
	if (other) {
		unread.add(key);
		tell({unread: other, name: where.names.join('.')});
	}

	const isSaid = text !== null && !known.has(key) && (text.match(/[\w.-]+/g) || []).every(word => said.has(word));
	const hasRoom = known.has(key) || known.size < (isSaid ? MOST_CALLS : MOST_CALLS / 2);
	const own = text !== null && hasRoom ? caller(where.path) : '';
	if (!own) {
		return make();
	}

	const call = {module: where.module, name: where.names.join('.'), arguments: text, path: own, said: isSaid};
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

const withStubs = watching(tell);

// Notes a call that is given functions of a test, or an object that one makes.
function noteOther(kind, text, where) {
	const name = where.names.join('.');
	const key = `${kind}\n${where.module}\n${name}\n${text}`;
	const own = others.has(key) || others.size >= MOST_OTHERS ? '' : caller(where.path);
	if (own) {
		others.add(key);
		tell({[kind]: {module: where.module, name, arguments: text, path: own}});
	}
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

const isPlain = prototype => prototype === null || builtIn(prototype) === 'Object';

// Returns what stands for a function, or an object of functions, of the tree.
function wrapped(value, where, owner) {
	const isFunction = typeof value === 'function';
	const isObject = typeof value === 'object' && value !== null && isPlain(Object.getPrototypeOf(value));
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
	const construct = (target, values, made) => {
		const text = ++seen <= MOST_SEEN ? literal(values) : null;
		const one = Reflect.construct(target, values, made);
		if (text !== null) {
			noteOther('made', text, where);
			const of = name => ({...where, names: [...where.names, 'prototype', name]});
			watch(one, target, text, (name, asked, make, own) => recorded(make, asked, of(name), own));
		}

		return one;
	};

	const get = (target, key, receiver) => {
		const described = Reflect.getOwnPropertyDescriptor(target, key);
		const isFixed = !described || (!described.configurable && !described.writable && !described.get);
		const value = Reflect.get(target, key, described ? target : receiver);
		const isPart = !isFixed && typeof key === 'string' && key !== 'prototype' && !key.includes('.');
		return isPart ? wrapped(value, {...where, names: [...where.names, key]}, target) : value;
	};

	return {apply, construct, get};
}

// For the modules that stand before the tree's own (hooks.mjs).
function exported(real, name, module, own) {
	return wrapped(real[name], {module, names: [name], path: own});
}

// What a file is given for a module that it asked for by this name.
function handed(found, name, from, file) {
	noteResolved(name, from, file);
	const own = local(from);
	if (!tests.has(own) || !isSource(file)) {
		return found;
	}

	const names = isNamespace(found) || (found && found.__esModule) ? [] : ['default'];
	return wrapped(found, {module: local(file), names, path: own});
}

// Notes what only the runner finds by a name: a file of the tree, or null where something else stands for it.
function noteResolved(name, from, file) {
	const own = local(from);
	const key = `${own}\n${name}`;
	const beside = name.startsWith('.') && path.resolve(path.dirname(from), name).replace(/\.[cm]?[jt]sx?$/, '');
	const isUsual = beside ? file.startsWith(beside) : file.includes(`/node_modules/${name.split('/')[0]}/`);
	if (!file || !isSource(from) || isUsual || Module.builtinModules.includes(name.replace(/^node:/, '')) || resolved.has(key)) {
		return;
	}

	resolved.add(key);
	tell({resolved: [own, name, isSource(file) || file.endsWith('.json') ? local(file) : null]});
}

// Node 20 asks no hook about what a module imports that was loaded by require(); import() of the runner's does.
const IS_MODULE = /^\s*(?:import|export)\b(?!\s*\()/m;
const isUnseen = /^v20\./.test(process.version) && process.features.require_module;
function refuseUnseen(request) {
	const isFile = isUnseen && path.isAbsolute(request) && tests.has(local(request));
	if (isFile && !isCompiled(request) && IS_MODULE.test(fs.readFileSync(request, 'utf8'))) {
		throw Object.assign(new Error(`${request} is an ES module.`), {code: 'ERR_REQUIRE_ESM'});
	}
}

// Whether something that the runner loaded first makes a file CommonJS; Node keeps that from modules of its own.
const asNodeDoes = Module._extensions['.js'];
function isCompiled(file) {
	const end = path.extname(file);
	const make = Module._extensions[end] || asNodeDoes;
	return make !== asNodeDoes && end !== '.mjs' && !(end === '.js' && isOfModules(path.dirname(file)));
}

function isOfModules(folder) {
	const manifest = path.join(folder, 'package.json');
	if (fs.existsSync(manifest)) {
		return JSON.parse(fs.readFileSync(manifest, 'utf8')).type === 'module';
	}

	return folder.length > orders.tree.length && isOfModules(path.dirname(folder));
}

const load = Module._load;
Module._load = function (request, parent, isMain) {
	refuseUnseen(request);
	const found = Reflect.apply(load, this, [request, parent, isMain]);
	const from = parent && parent.filename ? parent.filename : '';
	if (!tests.has(local(from))) {
		return found;
	}

	let file = '';
	try {
		file = Module._resolveFilename(request, parent, isMain);
	} catch {}

	return handed(found, request, from, file);
};

jest.record({
	handed,
	async standIn(name, from, file) {
		noteResolved(name, from, file);
		return tests.has(local(from)) && isSource(file) ? (await import('./hooks.mjs')).before(orders, file, local(from)) : '';
	},
	prepare(realm) {
		Object.defineProperty(realm, Symbol.for('assay'), {value: {exported}, configurable: true});
	},
});
const vitest = {options: {}, plugins: async () => [(await import('./hooks.mjs')).plugin(orders, noteResolved)]};
Object.defineProperty(globalThis, Symbol.for('assay'), {value: {exported, vitest}});
const {register} = Module;
if (register) {
	// What registers last is asked first, and may answer for the tree's own files without asking the others.
	const hook = () => register(pathToFileURL(path.join(__dirname, 'hooks.mjs')), {data: {...orders, record: true}});
	Module.register = function (...given) {
		const found = Reflect.apply(register, this, given);
		hook();
		return found;
	};

	Module.syncBuiltinESMExports();
	hook();
}
