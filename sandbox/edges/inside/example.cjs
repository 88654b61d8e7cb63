'use strict';
// Runs the expressions of JavaScript that a task shows, in the tree, and tells what each gave.
//
// The input is JSON: {changed: [path], calls: [{code, before}]}. The package's own name stands for the tree; a
// name that nothing binds is looked for in what the package and the changed files export. Writes one JSON object a
// line to the channel, as example.py does; `literal` is a value of plain data as JavaScript writes it.
const fs = require('fs');
const Module = require('module');
const path = require('path');
const util = require('util');
const vm = require('vm');
const {pathToFileURL} = require('url');

const SECONDS = 5;
const MOST_SAID = 300;
const MOST_MESSAGE = 4000;
const MOST_LITERAL = 10_000;
const MOST_NAMES = 10;
const KEY = Symbol.for('assay');
const NAME = /^[A-Za-z_$][\w$]*$/;

const {writeSync, readFileSync, existsSync} = fs;
const channel = Number(process.env.ASSAY_CHANNEL_FD);
delete process.env.ASSAY_CHANNEL_FD;
const orders = JSON.parse(readFileSync(0));
const tree = process.cwd();
const {exit} = process;

function tell(record) {
	const data = Buffer.from(`${JSON.stringify(record)}\n`);
	for (let at = 0; at < data.length;) {
		at += writeSync(channel, data, at);
	}
}

class NotTried extends Error {}
const notTried = why => ({outcome: 'not-tried', said: String(why).slice(0, MOST_SAID), literal: '', errors: []});

function manifest() {
	try {
		return JSON.parse(readFileSync(path.join(tree, 'package.json'), 'utf8'));
	} catch {
		return {};
	}
}

const own = manifest();
const requireHere = Module.createRequire(path.join(tree, 'package.json'));

// What `exports` of the manifest says of one way in.
function target(entry, conditions) {
	if (typeof entry === 'string') {
		return entry;
	}

	if (Array.isArray(entry)) {
		return entry.map(one => target(one, conditions)).find(Boolean);
	}

	for (const [name, value] of Object.entries(entry ?? {})) {
		const found = conditions.includes(name) && target(value, conditions);
		if (found) {
			return found;
		}
	}
}

function ownFile(below, conditions) {
	const all = own.exports;
	if (all !== undefined) {
		const isTable = all && typeof all === 'object' && Object.keys(all).some(key => key.startsWith('.'));
		const found = target(isTable ? all[below ? `./${below}` : '.'] : below ? undefined : all, conditions);
		if (found) {
			return path.join(tree, found);
		}
	}

	return requireHere.resolve(`./${below}`);
}

function fileOf(name, conditions) {
	if (own.name && (name === own.name || name.startsWith(`${own.name}/`))) {
		return ownFile(name.slice(own.name.length + 1), conditions);
	}

	return requireHere.resolve(name.startsWith('.') && !existsSync(path.join(tree, name)) ? `./${name.replace(/^(?:\.\.?\/)+/, '')}` : name);
}

const loaded = new Map();

async function load(name, kind) {
	const conditions = kind === 'require' ? ['require', 'node', 'default', 'import'] : ['import', 'node', 'default', 'require'];
	const file = fileOf(name, conditions);
	const isOwn = path.isAbsolute(file) && file.startsWith(`${tree}/`) && !file.includes('/node_modules/');
	const found = await import(path.isAbsolute(file) ? pathToFileURL(file) : file);
	loaded.set(file, isOwn);
	return views(found, file in require.cache || !path.isAbsolute(file) ? found.default : undefined);
}

// A module as `require`, `import x` and `import * as x` see it.
function views(found, exported) {
	const isPlain = exported !== undefined;
	const inside = isPlain && exported && exported.__esModule && 'default' in exported ? exported.default : exported;
	return {
		required: isPlain ? exported : found.default ?? found,
		fallback: isPlain ? inside : found.default,
		star: isPlain && (typeof exported === 'object' || typeof exported === 'function') ? exported : found,
	};
}

// --- names ----------------------------------------------------------------------------------

const camel = name => name.replace(/^@[^/]*\//, '').replace(/[-._/]+(\w)/g, (_, letter) => letter.toUpperCase());

// What a module gives by a name. A file that is called like what it exports is not that itself.
function offered(name, {required, fallback, star}, called) {
	if (star && Object.prototype.hasOwnProperty.call(star, name)) {
		return [star[name]];
	}

	if (typeof fallback === 'function' && (fallback.name === name || called === name)) {
		return [fallback];
	}

	return called === name ? [required] : [];
}

async function resolved(name) {
	const values = new Set();
	const entry = await load(own.name ?? '.', 'import').catch(() => null);
	for (const value of entry ? offered(name, entry, camel(own.name ?? '')) : []) {
		values.add(value);
	}

	const files = orders.changed.filter(one => /\.[cm]?[jt]s$/.test(one) && existsSync(path.resolve(tree, one)));
	for (const one of files) {
		const text = readFileSync(path.resolve(tree, one), 'utf8');
		const isNamed = text.includes(name) || camel(path.basename(one).replace(/\..*/, '')) === name;
		if (values.size === 0 && isNamed && /\bexport|\bexports\b/.test(text) && !text.startsWith('#!')) {
			const found = await load(`./${path.relative(tree, path.resolve(tree, one))}`, 'import');
			for (const value of offered(name, found, camel(path.basename(one).replace(/\..*/, '')))) {
				values.add(value);
			}
		}
	}

	if (values.size !== 1) {
		throw new NotTried(values.size === 0 ? `nothing in the tree exports ${name}` : `more than one file exports ${name}`);
	}

	return [...values][0];
}

// --- one example ----------------------------------------------------------------------------

// `import` becomes declarations: the code runs inside a function.
function plain(code) {
	return code
		.replace(/^import\s+(['"])([^'"]{1,200})\1;?$/, '')
		.replace(/^import\s+([\s\S]{1,500}?)\s+from\s+(['"])([^'"]{1,200})\2;?$/, (_, what, quote, from) => {
			const module = `module(${JSON.stringify(from)})`;
			const parts = [];
			const names = /\{([\s\S]*)\}/.exec(what);
			const star = /\*\s*as\s+([\w$]+)/.exec(what);
			const first = /^([\w$]+)/.exec(what);
			if (first) {
				parts.push(`const ${first[1]} = ${module}.fallback;`);
			}

			if (star) {
				parts.push(`const ${star[1]} = ${module}.star;`);
			}

			if (names) {
				parts.push(`const {${names[1].replace(/\btype\s+/g, '').replace(/\s+as\s+/g, ': ')}} = ${module}.star;`);
			}

			return parts.join(' ');
		});
}

async function modules(texts) {
	const found = new Map();
	for (const text of texts) {
		for (const [, how, , name] of text.matchAll(/\b(require\s*\(|import\s*\(|from|import)\s*(['"])([^'"\n]{1,200})\2/g)) {
			found.set(name, await load(name, how.startsWith('require') ? 'require' : 'import'));
		}
	}

	return found;
}

function literal(value, depth = 0) {
	if (value === null || value === undefined || typeof value === 'boolean') {
		return String(value);
	}

	if (typeof value === 'string') {
		return JSON.stringify(value);
	}

	if (typeof value === 'number' && Number.isFinite(value)) {
		return Object.is(value, -0) ? '0' : String(value);
	}

	const items = typeof value === 'object' && depth < 20;
	if (items && Array.isArray(value)) {
		const read = Array.from(value, one => literal(one, depth + 1));
		return read.includes('') ? '' : `[${read.join(', ')}]`;
	}

	if (items && [Object.prototype, null].includes(Object.getPrototypeOf(value))) {
		const read = Object.entries(value).map(([key, one]) => [JSON.stringify(key), literal(one, depth + 1)]);
		return read.some(([, one]) => one === '') ? '' : `{${read.map(pair => pair.join(': ')).join(', ')}}`;
	}

	return '';
}

function errorNames(error) {
	const names = [];
	for (let one = error; one && names.length < 20; one = Object.getPrototypeOf(one)) {
		const name = Object.prototype.hasOwnProperty.call(one, 'name') ? one.name : undefined;
		names.push(...[name, one.constructor?.name].filter(word => typeof word === 'string'));
	}

	return [...new Set([...names, error?.code].filter(word => typeof word === 'string'))];
}

async function run({code, before}, scope, found, printed) {
	const required = name => {
		if (!found.has(name)) {
			throw new NotTried(`${name} is not loaded`);
		}

		return found.get(name).required;
	};
	const console_ = {...console, log: (...words) => {
		printed.push(util.format(...words));
	}};
	const given = {console: console_, require: required, module: name => found.get(name), ...scope};
	const body = `${before.map(plain).join('\n;')}\n;return (${code}\n);`;
	const make = vm.runInThisContext(`(async (${Object.keys(given).join(', ')}) => {${body}})`, {filename: 'task'});
	globalThis[KEY] = () => make(...Object.values(given));
	const value = vm.runInThisContext('globalThis[Symbol.for(\'assay\')]()', {timeout: SECONDS * 1000});
	let timer;
	const late = new Promise((_, refuse) => {
		timer = setTimeout(() => refuse(new NotTried(`it did not end within ${SECONDS} s`)), SECONDS * 1000);
	});
	const settled = await Promise.race([value, late]).finally(() => clearTimeout(timer));
	const isIterator = settled && typeof settled === 'object' && typeof settled.next === 'function' && typeof settled[Symbol.iterator] === 'function';
	return isIterator ? [...settled] : settled;
}

async function made(call) {
	let found;
	try {
		loaded.clear();
		found = await modules([...call.before, call.code]);
	} catch (error) {
		return notTried(firstLine(error));
	}

	const scope = {};
	for (;;) {
		const printed = [];
		try {
			const value = await run({...call, code: call.code.replace(/;\s*$/, '')}, scope, found, printed);
			if (![...loaded.values()].some(Boolean)) {
				return notTried('nothing of the project is called');
			}

			if (value === undefined && printed.length > 0) {
				return {outcome: 'printed', said: printed.join('\n').slice(0, MOST_LITERAL), literal: '', errors: []};
			}

			const whole = literal(value);
			return {outcome: 'value', said: util.inspect(value).slice(0, MOST_SAID), literal: whole.length > MOST_LITERAL ? '' : whole, errors: []};
		} catch (error) {
			const missing = error instanceof ReferenceError && /^([\w$]+) is not defined$/.exec(error.message);
			if (missing && NAME.test(missing[1]) && !(missing[1] in scope) && Object.keys(scope).length < MOST_NAMES) {
				try {
					scope[missing[1]] = await resolved(missing[1]);
					continue;
				} catch (other) {
					return notTried(firstLine(other));
				}
			}

			if (error instanceof NotTried || error instanceof SyntaxError || error?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
				return notTried(firstLine(error));
			}

			const message = String(error?.message ?? error).slice(0, MOST_MESSAGE);
			return {outcome: 'raised', said: firstLine(error), literal: '', errors: errorNames(error), message};
		}
	}
}

function firstLine(error) {
	const said = error instanceof NotTried ? error.message : error instanceof Error ? `${error.name}: ${error.message}` : `threw ${util.inspect(error)}`;
	return said.split('\n')[0].slice(0, MOST_SAID);
}

async function main() {
	process.exit = code => {
		throw new Error(`process.exit(${code ?? ''})`);
	};

	process.on('unhandledRejection', () => {});
	process.on('uncaughtException', () => {});
	for (const [number, call] of orders.calls.entries()) {
		const first = await made(call);
		const second = await made(call);
		const isSteady = JSON.stringify(first) === JSON.stringify(second);
		tell({number, ...(isSteady ? first : notTried('it gives something else each time'))});
	}

	exit.call(process, 0);
}

main();
