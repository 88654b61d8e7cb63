'use strict';
// The reporter for mocha. It shares its process with the tests: it is loaded before them and takes the pen.
const path = require('path');
const fs = require('fs');
const {take, text} = require('./recorder.cjs');

const pen = take();

// What decides about a test must stay mocha's own. Plug-ins named by `--require` were loaded before this.
const started = path.dirname(fs.realpathSync(process.argv[1])); // bin, or from 6 on lib/cli
const library = path.basename(started) === 'cli' ? path.dirname(started) : path.join(started, '..', 'lib');
const has = Object.prototype.hasOwnProperty;
for (const [file, names] of [
	['runnable.js', ['run']],
	['runner.js', ['run', 'runSuite', 'runTests', 'runTest', 'hook', 'hooks', 'fail']],
]) {
	const loaded = require(path.join(library, file));
	const {prototype} = loaded.prototype ? loaded : (loaded.Runnable || loaded.Runner); // From 12 on they are ES modules.
	for (const name of names) {
		if (has.call(prototype, name)) {
			Object.defineProperty(prototype, name, {writable: false, configurable: false});
		}
	}
}

// A file that cannot be loaded ends mocha before its first test. It is told as that file's failure, with nothing of
// what it had declared by then, and the others are run.
const unloaded = new Map();
const DECLARED = ['suites', 'tests', '_beforeAll', '_beforeEach', '_afterAll', '_afterEach'];
const main = path.join(library, 'mocha.js');
const {prototype: mocha} = require(fs.existsSync(main) ? main : main.replace(/js$/, 'cjs')); // From 12 on.
const {ui, loadFiles, loadFilesAsync} = mocha;
const interfaces = new WeakMap();

function noted(self, file) {
	const counts = DECLARED.map(name => self.suite[name].length);
	return error => {
		unloaded.set(path.resolve(file), error);
		DECLARED.forEach((name, at) => {
			self.suite[name].length = counts[at];
		});
		// A file that breaks off inside of a suite leaves the interface there. Each time listens once more.
		self.suite.setMaxListeners(0);
		ui.call(self, interfaces.get(self) || self.options.ui);
	};
}

mocha.ui = function (name) {
	interfaces.set(this, name);
	return ui.call(this, name);
};

mocha.loadFiles = function (done) {
	const {files} = this;
	for (const file of files) {
		const fail = noted(this, file);
		this.files = [file];
		try {
			loadFiles.call(this);
		} catch (error) {
			fail(error);
		}
	}

	this.files = files;
	if (done) {
		done();
	}
};

if (loadFilesAsync) {
	mocha.loadFilesAsync = function (options) {
		const {files} = this;
		const each = (before, file) => before.then(() => {
			const fail = noted(this, file);
			this.files = [file];
			return loadFilesAsync.call(this, options).catch(fail);
		});
		return files.reduce(each, Promise.resolve()).then(() => {
			this.files = files;
		});
	};
}

function title(test) {
	const parts = [];
	for (let one = test; one && !one.root; one = one.parent) {
		parts.unshift(String(one.title));
	}

	return parts;
}

// What a failing test would keep from being run has no result of its own.
function runAll(suite) {
	suite._bail = false;
	suite.suites.forEach(runAll);
}

module.exports = class {
	constructor(runner) {
		runAll(runner.suite);
		pen.record('ready', {});
		const told = new Set();
		const tell = (test, outcome, error) => {
			told.add(test);
			pen.record('test', {
				file: test.file || '', line: 0, title: title(test), outcome, message: error ? text(error) : '',
				seconds: (test.duration || 0) / 1000, suite: false, failure: '',
			});
		};

		runner.on('test', test => pen.record('running', {file: test.file || '', title: title(test)}));
		runner.on('test end', test => pen.record('rested', {file: test.file || ''}));
		runner.on('pass', test => tell(test, 'passed'));
		runner.on('pending', test => tell(test, 'skipped'));
		runner.on('fail', (test, error) => {
			if (test.type === 'hook') {
				pen.record('test', {
					file: test.file || (test.parent && test.parent.file) || '', line: 0, title: title(test),
					outcome: 'error', message: text(error), seconds: 0, suite: false, failure: 'hook',
				});
				return;
			}

			tell(test, 'failed', error);
		});
		unloaded.forEach((error, file) => pen.record('file', {file, message: text(error)}));
		runner.once('end', () => {
			runner.failures += unloaded.size;
			// Tests that a failing hook kept from running have no result of their own.
			runner.suite.eachTest(test => {
				if (!told.has(test) && !test.retriedTest && (!runner._grep || runner._grep.test(test.fullTitle()))) {
					tell(test, 'error', 'This test did not run: a hook before it failed, or the run was cut short.');
				}
			});
			pen.record('end', {lost: 0});
		});
	}
};
