'use strict';
// Makes recorded calls again where nothing looks like a test: `node main.cjs`, orders on standard input.
const fs = require('fs');
const Module = require('module');
const os = require('os');
const timers = require('timers');
const sources = require('/srv/run/sources.cjs');
const {evaluated} = require('/srv/run/stubs.cjs');
const {called, came, inTime, made, place} = require('/srv/run/values.cjs');

const USER = 'ada';
const ID = 4217;
const HOST = 'web-3';
const PARENT = 4000;
const UNSTEADY_WITHIN = 20; // a function that answers otherwise so soon keeps honest state
const NEW = 'new '; // before the name of a class of which an object is made
const HELD = '()'; // in place of a method's name
const MOST_METHODS = 12;
const LONGEST_MS = 50;
const LONG_WAIT_MS = 1000;
const WITHOUT_SET_UP = /^raised (?:MissingModule|ReferenceError|SyntaxError|TypeError)\b/;
// What Node's engine says of code that has not what it needs; code that refuses what it is given says something else.
const OF_ENGINE = /\b(?:is not (?:an? )?(?:function|constructor|iterable|object|defined)|undefined|null|Cannot |read-?only|called on|Class constructor)\b|^$/;

const OF_MODULES = /\b(?:import|export|module|await)\b/;

const orders = JSON.parse(fs.readFileSync(0));
const {writeSync} = fs;
const {hrtime} = process;

function tell(record) {
	writeSync(orders.channel, `${JSON.stringify(record)}\n`);
}

function beSomebodyElse() {
	const home = process.env.HOME;
	os.hostname = () => HOST;
	os.userInfo = () => ({uid: ID, gid: ID, username: USER, homedir: home, shell: '/bin/sh'});
	for (const name of ['getuid', 'geteuid', 'getgid', 'getegid']) {
		process[name] = () => ID;
	}

	Object.defineProperty(process, 'ppid', {value: process.ppid + PARENT});
	Module.syncBuiltinESMExports();
}

// Every clock of JavaScript that tells the date goes by another calendar.
function beLater(ms) {
	const {now} = Date;
	globalThis.Date = new Proxy(Date, {
		apply: target => String(new target(now() + ms)),
		construct: (target, values, made) => Reflect.construct(target, values.length > 0 ? values : [now() + ms], made),
	});
	Date.now = () => now() + ms;
	const sooner = {apply: (target, self, [work, wait, ...rest]) => Reflect.apply(target, self, [work, soon(wait), ...rest])};
	for (const name of ['setTimeout', 'setInterval']) {
		timers[name] = globalThis[name] = new Proxy(globalThis[name], sooner);
	}

	if (timers.promises) { // since Node 15
		const {setTimeout: after} = timers.promises;
		timers.promises.setTimeout = (wait, ...rest) => after(soon(wait), ...rest);
	}

	Module.syncBuiltinESMExports();
}

// What a module has wait for minutes when it is loaded has happened by then.
const soon = wait => wait > LONG_WAIT_MS ? 1 : wait;

async function loaded(given) {
	for (const call of orders.calls) {
		try {
			await called(call, given);
		} catch {} // It cannot be had here.
	}

	await new Promise(done => setTimeout(done, 20));
}

async function repeated(call, parts) {
	const results = [];
	let refusal = false;
	const apply = (...values) => {
		try {
			const result = parts.apply(...values);
			results.splice(1, 1, result); // the first and the last
			return result;
		} catch (error) {
			refusal = (error instanceof TypeError && !OF_ENGINE.test(error.message)) || (error instanceof SyntaxError && !OF_MODULES.test(error.message));
			throw error;
		}
	};

	const given = {...parts, apply};
	const found = await called(call, given);
	const first = await made(call, found, given);
	if (orders.sets_up && WITHOUT_SET_UP.test(first) && !refusal) {
		throw new Error('It may be for want of what the runner gives to tests.');
	}

	const end = hrtime.bigint() + BigInt(LONGEST_MS) * 1_000_000n;
	for (let times = 1; times < orders.most_times && hrtime.bigint() < end; times++) {
		const outcome = await made(call, found, given);
		if (outcome !== first) {
			return {outcome: first, unsteady: times < UNSTEADY_WITHIN, later: outcome, times};
		}
	}

	return {outcome: first, shared: isShared(...results), ignores: takesFewer(found.found, given.evaluate(call.arguments).length - (found.kind ? 1 : 0))};
}

// Returns what each method of an object gives that takes nothing: at first, once more, and on another object.
async function readTwice(call, given) {
	const {found} = await called({...call, name: call.name.slice(NEW.length)}, given);
	const make = () => Reflect.construct(found, given.evaluate(call.arguments));
	const described = Object.getOwnPropertyDescriptors(found.prototype);
	const isRead = ([name, {value, get}]) => name !== 'constructor' && (get || (typeof value === 'function' && value.length === 0));
	const gives = (one, name, isMethod) => {
		const {outcome} = came(() => isMethod ? one[name]() : one[name], []);
		return typeof outcome === 'string' ? outcome : inTime(outcome);
	};

	const told = {[HELD]: held(make(), make())};
	for (const [name, {get}] of Object.entries(described).filter(isRead).slice(0, MOST_METHODS)) {
		const one = make();
		told[name] = [await gives(one, name, !get), await gives(one, name, !get), await gives(make(), name, !get)];
	}

	return {outcome: JSON.stringify(told)};
}

// Returns the names of what two objects hold that can be changed, behind `=` where both have the same.
function held(one, other) {
	const names = Object.keys(one).filter(name => isChangeable(one[name]) && /^[\w$]+$/.test(name));
	return names.map(name => `${one[name] === other[name] ? '=' : '+'}${name}`).join(' ');
}

// Whether a function has no place for so many arguments.
function takesFewer(found, count) {
	const source = Reflect.apply(Function.prototype.toString, found, []);
	const [taken] = /\([^)]*\)/.exec(source) || [''];
	return found.length < count && !/=|\.\.\./.test(taken) && !/\barguments\b|\[native code\]/.test(source);
}

// Whether two calls gave one and the same object, which everybody who has it can change.
const isShared = (one, other) => one === other && isChangeable(one);

function isChangeable(one) {
	const isPlain = Array.isArray(one) || (typeof one === 'object' && one && [Object.prototype, null].includes(Object.getPrototypeOf(one)));
	return Boolean(isPlain) && !Object.isFrozen(one);
}

async function main() {
	beSomebodyElse();
	if (orders.later_ms) {
		beLater(orders.later_ms);
	}

	const given = {
		load: sources.loader(orders),
		evaluate: evaluated,
		apply: (found, self, values) => found.apply(self, values),
	};
	tell({place: place(orders.tree)});
	if (orders.later_ms) {
		await loaded(given);
	}

	for (const call of orders.calls) {
		tell({begins: call.number});
		try {
			tell({number: call.number, ...await (call.name.startsWith(NEW) ? readTwice : repeated)(call, given)});
		} catch {} // It cannot be had here.
	}

	tell({done: true});
	process.reallyExit(0);
}

main();
