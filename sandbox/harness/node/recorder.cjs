'use strict';
// Loaded first (--require) into the runner's main process: takes the key before any other code runs and
// hands the pen to the first who asks, which is the reporter. See sandbox/harness/node/README.md.
// Written for Node 6 and later, like all that runs in the process of an old runner.
const {readSync, closeSync, writeSync} = require('fs');
const {createHmac} = require('crypto');
const Module = require('module');
const path = require('path');
const {inspect} = require('util');
const {Buffer} = require('buffer');
const {stringify} = JSON;
const {assign} = Object;

const RECORDS_FD = 3;
const KEY_FD = 4;
const KEY_BYTES = 32;
const LARGEST_TEXT = 4000;

const hmac = (key, data) => createHmac('sha256', key).update(data).digest();

function readKey() {
	const key = Buffer.alloc(KEY_BYTES);
	let have = 0;
	while (have < KEY_BYTES) {
		const count = readSync(KEY_FD, key, have, KEY_BYTES - have, null);
		if (count === 0) {
			throw new Error('no key');
		}

		have += count;
	}

	closeSync(KEY_FD);
	return key;
}

function makePen(key) {
	return Object.freeze({record(kind, fields) {
		const body = Buffer.from(stringify(assign({kind}, fields)).replace(/[\u007F-\uFFFF]/g, escaped), 'latin1');
		const tag = hmac(key, body);
		key = hmac(key, 'next');
		const frame = Buffer.concat([Buffer.from(hex(body.length, 8)), tag, body]);
		let done = 0;
		while (done < frame.length) {
			done += writeSync(RECORDS_FD, frame, done, frame.length - done);
		}
	}});
}

const escaped = character => `\\u${hex(character.charCodeAt(0), 4)}`;
const hex = (number, digits) => ('0000000' + number.toString(16)).slice(-digits);

function isMainThread() {
	try {
		return require('worker_threads').isMainThread;
	} catch (_) {
		return true; // Before Node 10.5 there is nothing else.
	}
}

let pen = null;
if (process.env.ASSAY_RECORDER === String(process.pid) && isMainThread()) {
	pen = makePen(readKey());
}

delete process.env.ASSAY_RECORDER;

// A test file that leaves by the back door must not look as if it had come to its end.
const leave = process.reallyExit;
let isLeaving = false;
process.once('exit', () => {
	isLeaving = true;
});
process.reallyExit = code => leave.call(process, isLeaving ? code : (code || 86));

// Code under test stands beside the assertions: it must not be able to make node's own say nothing.
const assert = require('assert');
for (const module of [assert, assert.strict || assert, assert.AssertionError, assert.AssertionError.prototype]) {
	Object.freeze(module);
}

exports.take = () => {
	const taken = pen;
	pen = null;
	return taken;
};

/** What `require.resolve` does with `paths`, which Node has from 8.9 on. */
exports.resolved = (name, folder) => {
	const filename = path.join(folder, 'package.json');
	return Module._resolveFilename(name, {id: filename, filename, paths: Module._nodeModulePaths(folder)});
};

exports.text = value => {
	let said = '';
	try {
		said = typeof value === 'string' ? value : String((value && (value.stack || value.message)) || value);
		if (value && typeof value.details === 'string') {
			said = `${String(value.message)}\n${value.details}\n${said}`; // uvu's: both values
		}
	} catch (_) {
		said = 'an error that cannot be shown';
	}

	return said.length > LARGEST_TEXT ? `... ${said.slice(-LARGEST_TEXT)}` : said;
};

/** What an assertion compared, as `assertion_line` of the reports reads it. */
exports.compared = (expected, actual) => {
	try {
		const [wanted, seen] = [expected, actual].map(one => inspect(one, {depth: 4, breakLength: Infinity, customInspect: false}));
		return `Expected: ${wanted}\nReceived: ${seen}`;
	} catch (_) {
		return 'The values cannot be shown.';
	}
};
