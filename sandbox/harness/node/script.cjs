'use strict';
// Loaded first into a test file that runs as a process of its own, beside its code. What tape, tap and uvu have
// of its tests is taken from their own objects: what the file prints counts for nothing. A file without any of
// them is one test, by its end. Written for Node 8 and later.
const Module = require('module');
const path = require('path');
const fs = require('fs');
const {fileURLToPath} = require('url');
const {compared, resolved, take, text} = require('./recorder.cjs');
const {setImmediate} = global; // tests may put clocks of their own in its place
const uvu = require('./uvu.cjs');

const pen = take();
const HARNESS = path.dirname(__dirname) + path.sep;
const FORGOTTEN = 'This test did not come to its end.';
const UNFINISHED = 'unfinished';
const EARLY_EXIT = 87;
const TAPE = /[\\/]node_modules[\\/]tape[\\/]index\.js$/;
const RESULTS = './lib/results'; // of tape

/** The file and line of the tree that is calling, "" and 0 when there is none. */
function place() {
	const {prepareStackTrace: own, stackTraceLimit} = Error;
	Error.prepareStackTrace = (_, sites) => sites.map(site => [site.getFileName() || '', site.getLineNumber() || 0]);
	Error.stackTraceLimit = 50;
	const holder = {};
	Error.captureStackTrace(holder, place);
	const frames = Array.isArray(holder.stack) ? holder.stack : [];
	Error.prepareStackTrace = own;
	Error.stackTraceLimit = stackTraceLimit;
	for (const [name, line] of frames) {
		const file = name.startsWith('file:') && fileURLToPath ? fileURLToPath(name) : name;
		if (path.isAbsolute(file) && !file.startsWith(HARNESS) && !/[\\/]node_modules[\\/]/.test(file)) {
			return {file, line};
		}
	}

	return {file: '', line: 0};
}

function watch() {
	const main = {file: path.resolve(process.argv[1] || ''), line: 0};
	const open = []; // functions that tell what is not told before the end
	let library = '';
	let isEnded = false;
	let isComplete = true;
	let isStopped = false; // by the code under test
	let uncaught = '';
	let isTold = false; // what was uncaught

	const tell = (where, title, outcome, message, more) => {
		const {file, line} = where.file ? where : main;
		if (!isEnded) {
			pen.record('test', Object.assign({
				file, line, title: title.map(String), outcome, message, seconds: 0, suite: false, failure: '',
			}, more));
		}
	};

	const finish = () => {
		if (!isEnded && isComplete && !isStopped) {
			for (const one of open) {
				one();
			}

			isEnded = true;
			pen.record('end', {lost: 0, library, problem: library ? '' : uncaught});
		}
	};

	const by = name => {
		library = library || name;
	};

	// Which test runs, for the case that it never ends.
	const running = title => title ? pen.record('running', {file: main.file, title: title.map(String)}) : pen.record('rested', {file: main.file});
	const watched = {tell, by, open, place, running};
	const load = Module._load;
	Module._load = function (request, parent) {
		const loaded = load.apply(this, arguments);
		if (request === RESULTS && parent && TAPE.test(parent.filename || '')) {
			watchTape(loaded, watched);
		}

		return loaded;
	};

	const uvuName = watchUvu(watched);
	if (process.execArgv.some(word => /^(--require=)?esm$/.test(word))) {
		watchEsm(uvuName, results => watchTape(results, watched));
	}

	if (process.env.ASSAY_TAP) {
		by('tap');
		isComplete = false;
		const see = tap => {
			followTap(tap, [], running);
			watchTap(tap.parser, () => [], tell, () => {
				isComplete = true;
				finish();
			});
		};
		if (process.env.ASSAY_TAP !== '1' && isModule(main.file)) {
			awaitTap(see);
		} else {
			const file = resolved('tap', process.cwd());
			const tap = require(file);
			if (!tap.parser && !tap.default) { // before tap 10 it only prints
				const Parser = require(resolved('tap-parser', path.dirname(file)));
				tap.parser = new Parser();
				tap.pipe(tap.parser);
			}

			see(tap.default || tap);
		}
	}

	// Who ends the process with success is a test, or a library of tests: never the code under test.
	const {exit, emit, reallyExit} = process;
	process.exit = function (code) {
		const {file} = place();
		const isOwn = !file || file === main.file || /(^|[-_.\\/])(tests?|specs?|__tests__)([-_.\\/]|$)/i.test(path.relative(process.cwd(), file));
		isStopped = isStopped || !(isOwn || code);
		return exit.call(process, isStopped ? EARLY_EXIT : code);
	};

	const tellUncaught = () => {
		if (!isComplete && uncaught && !isTold) {
			isTold = true;
			pen.record('file', {file: main.file, outcome: 'error', message: uncaught});
		}
	};

	process.on('uncaughtExceptionMonitor', error => {
		uncaught = text(error);
		if (process.listenerCount('uncaughtException') === 0) {
			// It ends here, where tap may have put its own emit back, unless that gives the error to a test.
			process.once('exit', tellUncaught);
			setImmediate(() => process.removeListener('exit', tellUncaught));
		}
	});
	process.emit = function (name) {
		const result = emit.apply(this, arguments);
		if (name === 'exit') {
			finish();
			tellUncaught();
		}

		return result;
	};

	process.reallyExit = code => {
		finish();
		return reallyExit.call(process, code);
	};
}

function watchTape(Results, {tell, by, open, place, running}) {
	const {push} = Results.prototype;
	const seen = new Set();

	function follow(test, above, where, results) {
		if (seen.has(test)) {
			return;
		}

		seen.add(test);
		by('tape');
		const failures = [];
		let own = 0;
		let hasBegun = false;
		let hasEnded = false;
		let below = 0;
		const title = [...above, test.name];
		test.on('prerun', () => {
			hasBegun = true;
			running(title);
			const body = test._cb;
			if (typeof body === 'function') {
				// Tape lets an error end the process: the tests after this one would have no result.
				test._cb = function () {
					try {
						return body.apply(this, arguments);
					} catch (error) {
						if (hasEnded) {
							throw error;
						}

						failures.push(text(error));
						test.end();
					}
				};
			}
		});
		test.on('end', () => {
			hasEnded = true;
			running(null);
		});
		test.on('result', result => {
			if (typeof result !== 'string') {
				own += 1;
				if (!result.ok && !result.todo) {
					const values = /equal/i.test(String(result.operator)) ? compared(result.expected, result.actual) : '';
					failures.push([result.name, values, result.error ? text(result.error) : ''].filter(Boolean).join('\n'));
				}
			}
		});
		test.on('test', inner => {
			below += 1;
			follow(inner, title, where, results);
		});
		open.push(() => {
			const isLeftOut = !hasBegun && results._only && results._only !== test;
			let outcome = hasEnded ? 'passed' : 'error';
			if (failures.length > 0) {
				outcome = 'failed';
			} else if (test._skip || isLeftOut) {
				outcome = 'skipped';
			} else if (test._todo && hasEnded) {
				outcome = 'xfailed';
			}

			const message = failures.length > 0 ? text(failures.join('\n')) : FORGOTTEN;
			const isBad = outcome === 'failed' || outcome === 'error';
			tell(where, title, outcome, isBad ? message : '', {
				suite: below > 0 && own === 0,
				failure: isBad && failures.length === 0 ? UNFINISHED : '',
			});
		});
	}

	Object.defineProperty(Results.prototype, 'push', {
		writable: false,
		configurable: false,
		value(test) {
			follow(test, [], place(), this);
			return push.apply(this, arguments);
		},
	});
}

/** Tell whether node takes a file for an ES module, by its name and the nearest package.json. */
function isModule(file) {
	if (/\.[cm][jt]s$/.test(file)) {
		return /\.m[jt]s$/.test(file);
	}

	for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
		try {
			return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).type === 'module';
		} catch (error) {
			if (error.code !== 'ENOENT' || folder === path.dirname(folder)) {
				return false;
			}
		}
	}
}

/** See tap's root as soon as tap_first.mjs has loaded it: before any code of the tree. */
function awaitTap(see) {
	const root = Symbol.for('TAP private constructor');
	let tap;
	Object.defineProperty(globalThis, root, {
		get: () => tap,
		set(made) {
			if (!tap) {
				tap = made;
				see(tap);
			}
		},
	});
	globalThis[Symbol.for('assay tap')] = process.env.ASSAY_TAP;
}

/** Which test runs, by tap's objects: its parser comes to know of it later. */
function followTap(test, above, running) {
	test.on('subtestStart', inner => {
		const title = [...above, inner.name];
		running(title);
		followTap(inner, title, running);
	});
	test.on('subtestEnd', () => running(null));
}

/** Follow tap's own parser: it reads what tap's objects say of themselves, and not the standard output. */
function watchTap(parser, above, tell, ended) {
	const state = {own: [], asserts: 0, below: 0};
	let child = null;
	parser.on('child', one => {
		const own = child = {name: one.name};
		if (!own.name) { // before tap 10 its first line says it
			one.on('comment', said => {
				own.name = own.name || (/^\s*# Subtest: (.*)/.exec(said) || [])[1];
			});
		}

		own.state = watchTap(one, () => [...above(), own.name], tell, () => {});
	});
	parser.on('assert', result => {
		const title = result.name || '(unnamed)';
		const isTest = Boolean(child && child.name === result.name);
		const message = isTest ? child.state.own.join('\n') : said(result);
		if (isTest || result.skip) {
			state.below += 1;
			let outcome = result.ok ? 'passed' : 'failed';
			if (result.skip) {
				outcome = 'skipped';
			} else if (result.todo) {
				outcome = 'xfailed';
			}

			const isSuite = isTest && child.state.below > 0 && child.state.asserts === 0;
			tell({file: ''}, [...above(), title], outcome, outcome === 'failed' ? text(message || said(result)) : '', {
				seconds: (result.time || 0) / 1000, suite: isSuite, failure: isSuite ? 'subtestsFailed' : '',
			});
		} else {
			state.asserts += 1;
			if (!result.ok && !result.todo) {
				state.own.push(message);
			}
		}

		child = null;
	});
	parser.on('complete', results => {
		if (above().length === 0) {
			// Assertions outside of any test, and what tap itself has against the file.
			const bad = [...state.own, results.bailout ? `Bail out! ${results.bailout}` : ''].filter(Boolean);
			if (bad.length > 0) {
				tell({file: ''}, ['the whole file'], 'failed', text(bad.join('\n')));
			} else if (results.count > state.below) {
				tell({file: ''}, ['the whole file'], 'passed', '');
			}
		}

		ended();
	});
	return state;
}

function said(result) {
	const diag = result.diag || {};
	const values = 'wanted' in diag && 'found' in diag ? compared(diag.wanted, diag.found) : ''; // before tap 14
	const parts = [result.name, values, diag.diff, diag.stack, diag.message].filter(one => one && typeof one === 'string');
	return text(parts.join('\n') || 'failed');
}

function watchUvu({tell, by, place, running}) {
	const name = uvu.publish({
		place,
		begun(suite, test) {
			running([suite, test.name].filter(Boolean));
		},
		told(suite, test, error) {
			running(null);
			by('uvu');
			tell(test.place || {file: ''}, [suite, test.name].filter(Boolean), error ? 'failed' : 'passed', error ? text(error) : '', {});
			test.isTold = true;
		},
		ended(suite, tests) {
			for (const test of tests) {
				if (!test.isTold) {
					by('uvu');
					tell(test.place || {file: ''}, [suite, test.name].filter(Boolean), 'error', FORGOTTEN, {failure: UNFINISHED});
				}
			}
		},
	});
	const {_compile} = Module.prototype;
	Module.prototype._compile = function (content, filename) {
		const source = uvu.isUvu(filename) ? uvu.patched(content, name) : content;
		return _compile.call(this, source, filename, ...[].slice.call(arguments, 2));
	};

	return name;
}

/** The package esm (`-r esm`) loads and compiles by itself: it gets what it reads with our lines in it. */
function watchEsm(uvuName, seeTape) {
	const name = `assay tape ${process.pid} ${Date.now()}`;
	Object.defineProperty(global, name, {value: seeTape, enumerable: false, configurable: true});
	const hook = `\n;global[${JSON.stringify(name)}](require(${JSON.stringify(RESULTS)}));`;
	const {readFileSync} = fs;
	// What it keeps from one process to the next would have that one's name in it.
	process.env.ESM_OPTIONS = process.env.ESM_OPTIONS || '{"cache":false}';
	fs.readFileSync = function (filename) {
		const content = readFileSync.apply(this, arguments);
		if (typeof content !== 'string') {
			return content;
		}

		if (uvu.isUvu(filename)) {
			return uvu.patched(content, uvuName);
		}

		return TAPE.test(filename) ? content + hook : content;
	};
}

if (pen) {
	pen.record('ready', {});
	try {
		watch();
	} catch (error) {
		pen.record('fault', {message: text(error)});
	}
}
