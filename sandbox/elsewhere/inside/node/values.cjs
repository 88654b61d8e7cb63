'use strict';
// Values and outcomes as text: plain values as JavaScript reads them again, equal ones alike.
const {Buffer} = require('buffer');
const os = require('os');
const path = require('path');
const {inspect, types} = require('util');

const MOST_TEXT = 2000;
const DEEPEST = 8;
const WAITS_MS = 2000;
const SHOWN = {depth: 3, sorted: true, breakLength: Infinity, customInspect: false};
const NAME = /^[A-Za-z_$][\w$]*$/;
const BUILT_IN = /^function ([A-Z]\w*)\(\) \{ \[native code\] \}$/;
const NOT_FOUND = /^(?:ERR_)?MODULE_NOT_FOUND$|^ERR_(?:REQUIRE_ESM|UNKNOWN_FILE_EXTENSION|UNSUPPORTED_DIR_IMPORT)$/;
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const {toString} = Function.prototype;
const functions = {told: null}; // While set, it says as what a function is told.

// Returns the text of a plain value; null where it is none.
function literal(value, depth = 0) {
	const text = scalar(value);
	if (text !== undefined) {
		return text;
	}

	if (typeof value === 'function' && functions.told) {
		return functions.told(value);
	}

	if (typeof value !== 'object' || depth >= DEEPEST || types.isProxy(value)) {
		return null;
	}

	const found = container(value, depth + 1);
	return found !== null && found.length <= MOST_TEXT ? found : null;
}

// A text as a literal in which nothing stands that no reader sees.
function quoted(text) {
	return JSON.stringify(text).replace(UNSEEN, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function scalar(value) {
	switch (typeof value) {
		case 'undefined':
		case 'boolean':
			return String(value);
		case 'number':
			return Object.is(value, -0) ? '-0' : String(value);
		case 'bigint':
			return value < 0n ? `(${value}n)` : `${value}n`;
		case 'string':
			return value.length <= MOST_TEXT ? quoted(value) : null;
		default:
			return value === null ? 'null' : undefined;
	}
}

// The name of the built-in type whose prototype this is, "" for none. Runners give test files a realm of their own.
function builtIn(prototype) {
	const described = prototype && Reflect.getOwnPropertyDescriptor(prototype, 'constructor');
	const made = described && described.value;
	const [, name = ''] = typeof made === 'function' ? BUILT_IN.exec(Reflect.apply(toString, made, [])) || [] : [];
	return name && made.prototype === prototype ? name : '';
}

function container(value, depth) {
	const prototype = Object.getPrototypeOf(value);
	if (prototype === Buffer.prototype) {
		return value.length < MOST_TEXT ? `Buffer.from("${value.toString('base64')}", "base64")` : null;
	}

	switch (prototype && builtIn(prototype)) {
		case 'Array':
			return value.length < MOST_TEXT ? joined('[', Array.from(value, one => literal(one, depth)), ']') : null;
		case 'Date':
			return Number.isNaN(value.getTime()) ? 'new Date(NaN)' : `new Date("${value.toISOString()}")`;
		case 'RegExp':
			return value.lastIndex === 0 ? String(value) : null;
		case 'Map':
			return wrappedIn('Map', [...value], depth);
		case 'Set':
			return wrappedIn('Set', [...value], depth);
		case 'Uint8Array':
			return value.length < MOST_TEXT ? `new Uint8Array([${value.join(', ')}])` : null;
		case 'Object':
			return members(value, [], depth);
		case null:
			return types.isModuleNamespaceObject(value) ? null : members(value, ['__proto__: null'], depth);
		default:
			return null;
	}
}

function wrappedIn(name, entries, depth) {
	const inside = literal(entries, depth);
	return inside && `new ${name}(${inside})`;
}

function members(value, parts, depth) {
	const described = Object.getOwnPropertyDescriptors(value);
	for (const key of Reflect.ownKeys(described)) {
		const {value: inside, enumerable, get, set} = described[key];
		if (typeof key !== 'string' || !enumerable || get || set) {
			return null;
		}

		const text = literal(inside, depth);
		parts.push(text && `${NAME.test(key) && key !== '__proto__' ? key : `[${quoted(key)}]`}: ${text}`);
	}

	return joined('{', parts, '}');
}

const joined = (start, parts, end) => parts.includes(null) ? null : start + parts.join(', ') + end;

// Text that is no literal is what Node prints of a value, without what the value says of itself.
function outcome(word, value) {
	const text = types.isNativeError(value) ? `${value.name}: ${value.message}` : literal(value) ?? inspect(value, SHOWN);
	return `${word} ${text}`.slice(0, MOST_TEXT);
}

const PLAIN_ERROR = /^(?:Error|(?:Aggregate|Eval|Range|Reference|Syntax|Type|URI)Error)$/;

// An error of a class of the project's own is known by that: mostly nobody gives it a name.
function nameOf(error) {
	const kind = error.constructor && error.constructor.name;
	return PLAIN_ERROR.test(error.name) && /^[A-Z][\w$]*$/.test(kind) ? kind : error.name;
}

function raised(error) {
	if (!types.isNativeError(error)) {
		return outcome('raised', error);
	}

	return `raised ${NOT_FOUND.test(error.code) ? 'MissingModule' : nameOf(error)}`;
}

// Returns what came of a call, at once or as a promise of it: `make` calls with `values`, which it may change.
function came(make, values) {
	const before = literal(values);
	const told = text => {
		const after = literal(values);
		return (after === before ? text : `${text} and left ${after ?? 'something else'}`).slice(0, MOST_TEXT);
	};

	let result;
	try {
		result = make();
	} catch (error) {
		return {result: error, isRaised: true, outcome: told(raised(error))};
	}

	if (!types.isPromise(result) || types.isProxy(result)) {
		return {result, isRaised: false, outcome: told(outcome('returned', result))};
	}

	const settled = result.then(value => told(outcome('resolved', value)), error => told(raised(error)));
	return {result, isRaised: false, outcome: settled};
}

const isNamespace = value => types.isModuleNamespaceObject(value) || (value && value[Symbol.toStringTag] === 'Module');

// What a module exports by name, however it was loaded: `default` is all of one of CommonJS.
function exportsOf(loaded) {
	const all = isNamespace(loaded) ? loaded.default : loaded;
	if (all && all.__esModule) {
		return all;
	}

	return isNamespace(loaded) ? loaded : {default: loaded};
}

// Returns the function of a recorded call, and what owns it, or the class (`kind`) of whose objects it is a method
// or getter; `given` loads modules. Throws where there is none.
async function called(call, given) {
	let owner;
	let found = exportsOf(await given.load(call));
	const [place, method] = call.name.split('.prototype.');
	for (const [depth, name] of place.split('.').entries()) {
		[owner, found] = [depth > 0 ? found : undefined, found[name]];
	}

	const kind = method === undefined ? undefined : found;
	found = kind ? ofObjects(kind, method) : found;
	if (typeof found !== 'function') {
		throw new TypeError(`${call.name} is not there.`);
	}

	return {owner, found, kind};
}

// The method, or what a getter does, that a class has for its objects by a name.
function ofObjects(kind, name) {
	let owner = kind.prototype;
	while (owner && !Object.getOwnPropertyDescriptor(owner, name)) {
		owner = Object.getPrototypeOf(owner);
	}

	const {value, get} = (owner && Object.getOwnPropertyDescriptor(owner, name)) || {};
	return get || value;
}

// Makes an object once more, and has it do what it did before.
function remade(kind, [, made, steps]) {
	const one = Reflect.construct(kind, made);
	for (const [name, values] of steps) {
		try {
			const result = typeof one[name] === 'function' ? one[name](...values) : one[name];
			if (types.isPromise(result)) {
				result.catch(() => {});
			}
		} catch {} // As it did then.
	}

	return one;
}

// Makes a recorded call once more; what comes of a promise is "" where that stays open.
function made(call, {owner, found, kind}, given) {
	const all = given.evaluate(call.arguments);
	const [of, values] = kind ? [all[0], all.slice(1)] : [undefined, all];
	const {outcome} = came(() => given.apply(found, of ? remade(kind, of) : owner, values), values);
	return typeof outcome === 'string' ? outcome : inTime(outcome);
}

async function inTime(outcome) {
	let timer;
	const late = new Promise(resolve => {
		timer = setTimeout(resolve, WAITS_MS, '');
	});
	const text = await Promise.race([outcome, late]);
	clearTimeout(timer);
	return text;
}

// What is different between two places and may stand in an honest answer.
function place(tree) {
	const own = os.userInfo();
	const {HOME, USER, LOGNAME} = process.env;
	return {
		tree, cwd: process.cwd(), home: HOME ?? own.homedir, temporary: os.tmpdir(), host: os.hostname(),
		user: USER ?? own.username, logname: LOGNAME ?? own.username, program: path.basename(process.argv[1] ?? ''),
		started: path.dirname(process.argv[1] ?? ''),
		zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
		uid: String(process.getuid()), gid: String(process.getgid()), pid: String(process.pid), ppid: String(process.ppid),
	};
}

module.exports = {builtIn, called, came, functions, inTime, isNamespace, literal, made, place};
