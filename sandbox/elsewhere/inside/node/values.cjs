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

// Returns the text of a plain value; null where it is none.
function literal(value, depth = 0) {
	const text = scalar(value);
	if (text !== undefined) {
		return text;
	}

	if (typeof value !== 'object' || depth >= DEEPEST || types.isProxy(value)) {
		return null;
	}

	const found = container(value, depth + 1);
	return found !== null && found.length <= MOST_TEXT ? found : null;
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
			return value.length <= MOST_TEXT ? JSON.stringify(value) : null;
		default:
			return value === null ? 'null' : undefined;
	}
}

function container(value, depth) {
	switch (Object.getPrototypeOf(value)) {
		case Array.prototype:
			return value.length < MOST_TEXT ? joined('[', Array.from(value, one => literal(one, depth)), ']') : null;
		case Date.prototype:
			return Number.isNaN(value.getTime()) ? 'new Date(NaN)' : `new Date("${value.toISOString()}")`;
		case RegExp.prototype:
			return value.lastIndex === 0 ? String(value) : null;
		case Map.prototype:
			return wrappedIn('Map', [...value], depth);
		case Set.prototype:
			return wrappedIn('Set', [...value], depth);
		case Uint8Array.prototype:
			return value.length < MOST_TEXT ? `new Uint8Array([${value.join(', ')}])` : null;
		case Buffer.prototype:
			return value.length < MOST_TEXT ? `Buffer.from("${value.toString('base64')}", "base64")` : null;
		case Object.prototype:
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
		parts.push(text && `${NAME.test(key) && key !== '__proto__' ? key : `[${JSON.stringify(key)}]`}: ${text}`);
	}

	return joined('{', parts, '}');
}

const joined = (start, parts, end) => parts.includes(null) ? null : start + parts.join(', ') + end;

// Text that is no literal is what Node prints of a value, without what the value says of itself.
function outcome(word, value) {
	const text = types.isNativeError(value) ? `${value.name}: ${value.message}` : literal(value) ?? inspect(value, SHOWN);
	return `${word} ${text}`.slice(0, MOST_TEXT);
}

const raised = error => types.isNativeError(error) ? `raised ${error.name}` : outcome('raised', error);

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

// Makes a recorded call once more; "" where its promise stays open.
async function again(call, make) {
	let owner;
	let found = await import(call.url);
	for (const name of call.name.split('.')) {
		[owner, found] = [types.isModuleNamespaceObject(found) ? undefined : found, found[name]];
	}

	const values = (0, eval)(call.arguments); // eslint-disable-line no-eval
	let timer;
	const late = new Promise(resolve => {
		timer = setTimeout(resolve, WAITS_MS, '');
	});
	const text = await Promise.race([came(() => make(found, owner, values), values).outcome, late]);
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
		uid: String(process.getuid()), gid: String(process.getgid()), pid: String(process.pid), ppid: String(process.ppid),
	};
}

module.exports = {again, came, literal, place};
