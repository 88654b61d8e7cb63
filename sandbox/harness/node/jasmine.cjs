'use strict';
// The reporter for jasmine (2 and later), loaded before it. It shares its process with the specs.
const fs = require('fs');
const path = require('path');
const {fileURLToPath} = require('url');
const {resolved, take, text} = require('./recorder.cjs');

const pen = take();
const OUTCOMES = {passed: 'passed', failed: 'failed', pending: 'skipped', excluded: 'skipped', disabled: 'skipped'};

function place() {
	for (const line of String(new Error('place').stack).split('\n').slice(1)) {
		const found = /(?:\(|at )((?:file:|\/)[^()]*?):(\d+):\d+\)?$/.exec(line);
		const file = found && (found[1].startsWith('file:') ? fileURLToPath(found[1]) : found[1]);
		if (file && !file.startsWith(path.dirname(__dirname)) && !/\/node_modules\//.test(file)) {
			return {file, line: Number(found[2])};
		}
	}

	return {file: '', line: 0};
}

// The stack of an error with properties of its own does not begin with its message.
const told = one => (one.stack && !one.stack.includes(one.message) ? `${one.message}\n${one.stack}` : one.stack || one.message);
const said = result => text((result.failedExpectations || []).map(told).join('\n'));

// A file that cannot be loaded ends jasmine before its first spec. A spec that fails stands for it, so that jasmine knows;
// it is told as that file's failure, and the others are run.
const unloaded = new Map();

function loadEach(runner) {
	const {loadSpecs} = runner;
	runner.loadSpecs = function () {
		const files = this.specFiles;
		const from = at => {
			for (; at < files.length; at++) {
				const file = files[at];
				const fail = error => {
					const spec = this.env.it(`${file} is loaded`, () => {
						throw error;
					});
					unloaded.set(spec.id, file);
				};

				this.specFiles = [file];
				try {
					const loading = loadSpecs.call(this);
					if (loading) { // From 3 on.
						return loading.catch(fail).then(() => from(at + 1));
					}
				} catch (error) {
					fail(error);
				}
			}

			this.specFiles = files;
		};

		return from(0);
	};
}

function watch(env) {
	pen.record('ready', {});
	const places = new Map();
	const isFrozen = Object.isFrozen(env); // From 6 on; then it knows the specs' files by itself.
	for (const name of isFrozen ? [] : ['it', 'fit', 'xit']) {
		const own = env[name];
		env[name] = function () {
			const where = place();
			const spec = own.apply(this, arguments);
			if (spec && spec.id) {
				places.set(spec.id, where);
			}

			return spec;
		};
	}

	const suites = [];
	const record = (result, title, outcome, failure) => {
		if (unloaded.has(result.id)) {
			pen.record('file', {file: unloaded.get(result.id), message: said(result)});
			return;
		}

		const where = places.get(result.id) || {};
		pen.record('test', {
			file: where.file || result.filename || '', line: where.line || 0, title, outcome, message: said(result),
			seconds: (result.duration || 0) / 1000, suite: false, failure,
		});
	};

	const reporter = {
		jasmineStarted() {},
		suiteStarted(result) {
			suites.push(String(result.description));
		},
		specStarted() {},
		specDone(result) {
			record(result, [...suites, String(result.description)], OUTCOMES[result.status] || 'error', '');
		},
		suiteDone(result) {
			suites.pop();
			if ((result.failedExpectations || []).length > 0) {
				record(result, [...suites, String(result.description), '(hooks)'], 'error', 'hook');
			}
		},
		jasmineDone(result) {
			const bad = result && (result.failedExpectations || []).length > 0 ? said(result) : '';
			pen.record('end', {lost: 0, problem: bad});
		},
	};
	env.addReporter(reporter);
	if (!isFrozen) {
		const {clearReporters} = env;
		env.clearReporters = function () {
			clearReporters.apply(this, arguments);
			env.addReporter(reporter);
		};
	}
}

if (pen) {
	const runner = path.dirname(fs.realpathSync(process.argv[1]));
	const core = require(resolved('jasmine-core', runner));
	if (core.jasmine && core.installGlobals) {
		watch(core.jasmine.getEnv());
	} else {
		for (const name of ['boot', 'noGlobals']) {
			const own = core[name];
			if (typeof own === 'function') {
				core[name] = function () {
					const made = own.apply(this, arguments);
					watch((made.jasmine || made).getEnv());
					return made;
				};
			}
		}
	}

	loadEach(require(path.join(runner, '..', 'lib', 'jasmine.js')).prototype);
}
