'use strict';
// The reporter for jest: it runs in the main process; test files run in workers or in contexts of their own.
const {take, text} = require('./recorder.cjs');

const pen = take();
const OUTCOMES = {
	passed: 'passed', failed: 'failed', pending: 'skipped', skipped: 'skipped', todo: 'skipped', disabled: 'skipped',
};

module.exports = class {
	onRunStart(results) {
		pen.record('ready', {});
		this.planned = results.numTotalTestSuites;
		this.done = 0;
	}

	onTestCaseStart(test, {ancestorTitles, title}) {
		pen.record('running', {file: test.path, title: [...ancestorTitles, title]});
	}

	onTestCaseResult(test) {
		pen.record('rested', {file: test.path});
	}

	onTestResult(test, result) {
		this.done += 1;
		const file = test.path;
		if (result.testExecError) {
			const message = text(result.failureMessage || result.testExecError);
			pen.record('file', {file, outcome: 'error', message});
		}

		for (const one of result.testResults) {
			pen.record('test', {
				file, line: (one.location && one.location.line) || 0, title: [...one.ancestorTitles, one.title],
				outcome: OUTCOMES[one.status] || 'error', message: text((one.failureMessages || []).join('\n')),
				seconds: (one.duration || 0) / 1000, suite: false, failure: '',
			});
		}
	}

	onRunComplete(_, results) {
		const lost = Math.max(this.planned || 0, results.numTotalTestSuites) - this.done;
		pen.record('end', {lost: results.wasInterrupted ? Math.max(lost, 1) : lost});
	}
};
