'use strict';
// Objects that tests make of plain values: what each of their methods is asked, with what was asked before it.
// A class keeps to itself what its objects hold, so that an object is told by what makes it what it is.
const {types} = require('util');
const {builtIn, literal} = require('./values.cjs');

const MOST_OBJECTS = 300;
const MOST_STEPS = 6;
const LONGEST = 600;
const MOST_METHODS = 60;
const has = (owner, key) => Object.prototype.hasOwnProperty.call(owner, key);
let count = 0;

// Has a new object of a class tell of its methods and getters, as long as somebody can make it once more. `note` is
// given each call: a name, the arguments, what makes the call, and the object as text:
// `[name, [what it is made of], [[method, arguments], …]]`.
function watch(one, kind, made, note) {
	const found = Object.getPrototypeOf(one) === kind.prototype && Object.isExtensible(one) ? parts(kind.prototype) : [];
	if (found.length === 0 || ++count > MOST_OBJECTS) {
		return;
	}

	const steps = [];
	const held = () => literal({...one});
	let last = held();
	let isLost = false;
	let isBusy = false;
	const asked = (name, self, values, make) => {
		if (isLost || isBusy || self !== one) {
			return make();
		}

		const text = `[${JSON.stringify(kind.name)}, ${made}, [${steps.join(', ')}]]`;
		const given = literal(values);
		if (given === null || text.length > LONGEST || held() !== last) { // somebody gave it another attribute
			isLost = true;
			return make();
		}

		isBusy = true;
		try {
			const result = note(name, values, make, text);
			// What goes on later may change it unseen.
			isLost = isLost || types.isPromise(result) || (result && typeof result.next === 'function');
			return result;
		} finally {
			isBusy = false;
			last = held();
			isLost = isLost || steps.push(`[${JSON.stringify(name)}, ${given}]`) > MOST_STEPS;
		}
	};

	const changed = () => {
		isLost = true;
	};

	for (const [key, owner, described] of found) {
		if (!has(one, key)) {
			Object.defineProperty(one, key, {configurable: true, ...standIn(key, owner, described, asked, changed)});
		}
	}
}

// The methods and getters of a class and of those that it extends; none of one that is a kind of Map, say, whose
// own methods change it unseen.
function parts(prototype) {
	const found = new Map();
	let owner = prototype;
	for (; owner && !builtIn(owner); owner = Object.getPrototypeOf(owner)) {
		for (const key of Object.getOwnPropertyNames(owner).filter(one => one !== 'constructor' && !found.has(one))) {
			found.set(key, [key, owner, Object.getOwnPropertyDescriptor(owner, key)]);
		}
	}

	if (builtIn(owner) !== 'Object') {
		return [];
	}

	return [...found.values()].slice(0, MOST_METHODS).filter(([, , {value, get}]) => get || typeof value === 'function');
}

function standIn(key, owner, {value, get, set}, asked, changed) {
	if (!get) {
		const apply = (method, self, values) =>
			asked(key, self, values, () => Reflect.apply(typeof owner[key] === 'function' ? owner[key] : method, self, values));
		return {value: new Proxy(value, {apply}), writable: true};
	}

	const setter = set && {
		set(other) {
			changed();
			Reflect.set(owner, key, other, this);
		},
	};
	return {
		get() {
			return asked(key, this, [], () => Reflect.get(owner, key, this));
		},
		...setter,
	};
}

module.exports = {watch};
