// The reporter for `node --test`: it runs in the process that starts the test files, never beside their code.
// Results come after those of their subtests; each carries its depth, so full titles are put together here.
import {createRequire} from 'node:module';

const {take, text} = createRequire(import.meta.url)('./recorder.cjs');
const pen = take();
// From Node 20 on no other file's results come in between, and a subtest's file is the one that it is written in.
const isInOrder = Number.parseInt(process.versions.node, 10) >= 20;

function outcome(event) {
	const {skip, todo} = event.data;
	if (skip !== undefined && skip !== false) {
		return 'skipped';
	}

	if (todo !== undefined && todo !== false) {
		return event.type === 'test:pass' ? 'skipped' : 'xfailed';
	}

	return event.type === 'test:pass' ? 'passed' : 'failed';
}

function message(error) {
	const cause = error?.cause ?? error;
	return error ? text(cause?.stack ? cause : (cause?.message ?? cause)) : '';
}

export default async function * (source) {
	pen.record('ready', {});
	const waiting = new Map(); // file, where they mingle → depth → results whose parent has not been told yet
	for await (const event of source) {
		if (event.type !== 'test:pass' && event.type !== 'test:fail') {
			continue;
		}

		const {name, nesting, file = '', line = 0, details = {}} = event.data;
		const run = isInOrder ? '' : file;
		const depths = waiting.get(run) ?? [];
		waiting.set(run, depths);
		const below = depths[nesting + 1] ?? [];
		depths[nesting + 1] = [];
		for (const one of below) {
			one.title.unshift(name);
		}

		const own = {
			file, line, title: [name], outcome: outcome(event), message: message(details.error),
			seconds: (details.duration_ms ?? 0) / 1000, suite: details.type === 'suite',
			failure: details.error?.failureType ?? '',
		};
		const all = [...below, own];
		if (nesting === 0) {
			for (const one of all) {
				const isElsewhere = one.file !== file; // a subtest in a file that the test loads
				pen.record('test', isElsewhere ? {...one, file, line} : one);
			}
		} else {
			(depths[nesting] ??= []).push(...all);
		}
	}

	let lost = 0;
	for (const depths of waiting.values()) {
		for (const results of depths) {
			lost += results?.length ?? 0;
		}
	}

	pen.record('end', {lost});
	yield '';
}
