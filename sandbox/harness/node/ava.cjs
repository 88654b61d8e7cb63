'use strict';
// The reporter for ava (1 and later): it runs in the main process; test files run in workers or processes.
const {take, text} = require('./recorder.cjs');

const pen = take();

function said(error) {
	if (!error) {
		return '';
	}

	const details = (error.formattedDetails || error.values || []).map(detail => detail.label + ' ' + detail.formatted);
	return text([error.message, ...details, error.formattedError || error.stack].filter(Boolean).join('\n') || 'failed');
}

module.exports = class {
	startRun(plan) {
		pen.record('ready', {});
		this.open = new Map();
		this.bad = new Set();
		this.lost = 0;
		this.problem = '';
		this.waited = 0;
		if (plan.status) {
			plan.status.on('stateChange', event => this.consume(event.type ? event : event.data)); // wrapped since ava 8
		}
	}

	consume(event) {
		const file = event.testFile || '';
		const key = `${file}\0${event.title}`;
		const tell = (outcome, message = '') => {
			this.open.delete(key);
			pen.record('test', {
				file, line: 0, title: [String(event.title)], outcome, message,
				seconds: (event.duration || 0) / 1000, suite: false, failure: '',
			});
		};

		switch (event.type) {
			case 'declared-test': {
				this.open.set(key, {file, title: event.title, isSelected: false});
				break;
			}

			case 'selected-test': {
				if (event.skip || event.todo) {
					tell('skipped');
				} else {
					this.open.set(key, {file, title: event.title, isSelected: true});
				}

				break;
			}

			case 'test-passed': {
				tell(event.knownFailing ? 'xfailed' : 'passed');
				break;
			}

			case 'test-failed': {
				tell('failed', said(event.err));
				break;
			}

			case 'hook-failed': {
				tell('error', said(event.err));
				break;
			}

			case 'uncaught-exception':
			case 'unhandled-rejection':
			case 'worker-failed':
			case 'process-exit':
			case 'missing-ava-import':
			case 'internal-error':
			case 'interrupt': {
				this.fail(file, event);
				break;
			}

			case 'timeout': {
				this.waited = event.period / 1000 || 1;
				this.problem = this.problem || `ava gave up after ${this.waited} s without a result`;
				break;
			}

			case 'worker-stdout':
			case 'worker-stderr': {
				process.stderr.write(event.chunk);
				break;
			}

			default:
		}
	}

	// Tests of a file start together, and one that never returns keeps the others' results from being told. Where they ran one
	// by one (the second time: see launch_node.py), it is the first without a result; the others never ran.
	tellHung() {
		if (!process.argv.includes('--serial')) {
			pen.record('hung', {});
			return;
		}

		const first = new Map();
		for (const [key, one] of this.open) {
			if (one.isSelected && !first.has(one.file)) {
				first.set(one.file, [key, one.title]);
			}
		}

		for (const [file, [key, title]] of first) {
			this.open.delete(key);
			pen.record('test', {
				file, line: 0, title: [String(title)], outcome: 'error', message: `This test did not end in ${this.waited} s.`,
				seconds: 0, suite: false, failure: '',
			});
		}
	}

	fail(file, event) {
		if (!file) {
			this.problem = this.problem || `ava ended with ${event.type}: ${said(event.err)}`;
			return;
		}

		if (!this.bad.has(file)) {
			this.bad.add(file);
			pen.record('file', {file, outcome: 'error', message: said(event.err) || `The test file ended with ${event.type}.`});
		}
	}

	endRun() {
		if (this.waited) {
			this.tellHung();
		}

		for (const {file, title, isSelected} of this.open.values()) {
			// What a file that broke off had declared is an error; what `test.only` leaves out is skipped. Where the whole
			// run was cut short, as by a test that hangs, nobody knows what the others would have come to.
			const isBad = this.bad.has(file);
			if (isSelected && !isBad) {
				this.lost++;
				continue;
			}

			pen.record('test', {
				file, line: 0, title: [String(title)], outcome: isBad ? 'error' : 'skipped',
				message: 'This test has no result.', seconds: 0, suite: false, failure: '',
			});
		}

		pen.record('end', {lost: this.lost, problem: this.problem});
	}
};
