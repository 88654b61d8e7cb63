// The reporter for vitest: it runs in the main process; test files run in workers.
import {createRequire} from 'node:module';

const {take, text} = createRequire(import.meta.url)('./recorder.cjs');
const pen = take();

function outcome(task) {
	const state = task.result?.state;
	if (task.mode === 'skip' || task.mode === 'todo' || state === 'skip' || state === 'todo') {
		return 'skipped';
	}

	return {pass: 'passed', fail: 'failed'}[state] ?? '';
}

const said = result => text((result?.errors ?? []).map(error => error.stack ?? error.message ?? String(error)).join('\n'));

const named = (name, tasks) => tasks.flatMap(task => {
	const below = named(name, task.tasks ?? []);
	return task.type !== 'suite' && task.name === name ? [task, ...below] : below;
});

export default class {
	#ended = false;
	#uncaught = new Map();

	constructor() {
		pen.record('ready', {});
	}

	// Where no file is found, versions of old leave the process at once.
	onInit({logger}) {
		const told = logger?.printNoTestFound;
		if (told) {
			logger.printNoTestFound = (...given) => {
				this.#end([], []);
				return told.apply(logger, given);
			};
		}
	}

	onFinished(files, errors) {
		this.#end(files ?? [], errors ?? []);
	}

	onTestRunEnd(modules, errors) {
		this.#end(modules.map(module => module.task), errors ?? []);
	}

	#end(files, errors) {
		if (this.#ended) {
			return;
		}

		this.#ended = true;
		const strays = errors.filter(error => !this.#blame(error, files));
		let lost = 0;
		for (const file of files) {
			const before = lost;
			lost += this.#walk(file, file.tasks ?? [], []);
			const isEmpty = (file.tasks ?? []).length === 0;
			if (file.result?.state === 'fail' && (isEmpty || (file.result.errors ?? []).length > 0)) {
				pen.record('file', {file: file.filepath, outcome: 'error', message: said(file.result)});
				lost = before;
			}
		}

		const problem = strays.length > 0 ? text(strays[0]?.stack ?? strays[0]?.message ?? strays[0]) : '';
		pen.record('end', {lost, problem});
	}

	// An error that nobody caught (in a server's handler, a promise) fails vitest's run, and none of its tests. It is the
	// failure of the test that vitest names, where it names one.
	#blame(error, files) {
		const file = files.find(one => one.filepath === error?.VITEST_TEST_PATH);
		const [test, ...others] = named(error?.VITEST_TEST_NAME, file?.tasks ?? []);
		if (!test || others.length > 0) {
			return false;
		}

		this.#uncaught.set(test, `Not caught while this test ran: ${said({errors: [error]})}`);
		return ['passed', 'failed'].includes(outcome(test));
	}

	#walk(file, tasks, above) {
		let lost = 0;
		for (const task of tasks) {
			const title = [...above, task.name];
			if (task.type === 'suite') {
				lost += this.#walk(file, task.tasks ?? [], title);
				if (task.result?.state === 'fail' && (task.result.errors ?? []).length > 0) {
					pen.record('test', {
						file: file.filepath, line: task.location?.line ?? 0, title: [...title, '(hooks)'], outcome: 'error',
						message: said(task.result), seconds: 0, suite: false, failure: 'hook',
					});
				}

				continue;
			}

			const hasHookFailed = !outcome(task);
			const uncaught = this.#uncaught.get(task);
			lost += hasHookFailed && !file.result?.errors ? 1 : 0;
			pen.record('test', {
				file: file.filepath, line: task.location?.line ?? 0, title,
				outcome: uncaught && outcome(task) === 'passed' ? 'failed' : outcome(task) || 'error',
				message: said(task.result) || uncaught || '', seconds: (task.result?.duration ?? 0) / 1000, suite: false, failure: '',
			});
		}

		return lost;
	}
}
