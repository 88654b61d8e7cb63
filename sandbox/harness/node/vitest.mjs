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

export default class {
	#ended = false;

	constructor() {
		pen.record('ready', {});
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

		const problem = errors.length > 0 ? text(errors[0]?.stack ?? errors[0]?.message ?? errors[0]) : '';
		pen.record('end', {lost, problem});
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
			lost += hasHookFailed && !file.result?.errors ? 1 : 0;
			pen.record('test', {
				file: file.filepath, line: task.location?.line ?? 0, title, outcome: outcome(task) || 'error',
				message: said(task.result), seconds: (task.result?.duration ?? 0) / 1000, suite: false, failure: '',
			});
		}

		return lost;
	}
}
