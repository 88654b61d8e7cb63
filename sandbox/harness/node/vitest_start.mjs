// Starts vitest by its own interface: node vitest_start.mjs <vitest's script> <arguments...>. A reporter that is
// named on the command line is loaded through vite, which reads no file outside the project (vite 6 with
// vitest 3), and vitest 1 and 2 know `includeTaskLocation` as a setting only. So both are given as objects, and
// the reporter has the pen before the project's configuration is loaded.
import {realpathSync} from 'node:fs';
import Module, {createRequire} from 'node:module';
import path from 'node:path';
import process from 'node:process';
import {fileURLToPath, pathToFileURL} from 'node:url';

const [script, ...given] = process.argv.slice(2);
process.argv.splice(1, 2, script);
// What a second look adds (sandbox/elsewhere) was there before any code of the tree.
const {vitest: more} = globalThis[Symbol.for('assay')] ?? {};

async function imported() {
	try {
		return await import(pathToFileURL(createRequire(script).resolve('vitest/node')).href);
	} catch (error) {
		// Before 1.0 the interface is for `import` alone.
		if (error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') {
			return more ? import(new URL('dist/node.js', pathToFileURL(realpathSync(script))).href) : {};
		}

		throw error;
	}
}

// The options of old versions with a word behind them, and those without one.
const WITH_WORD = new Set(['config', 'root', 'dir', 'environment', 'mode', 'test-name-pattern']);
const SWITCHES = new Set(['run', 'pass-with-no-tests', 'globals', 'threads', 'isolate', 'dom', 'silent', 'watch', 'update']);
const dashed = name => name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
const camel = name => name.replaceAll(/-([a-z])/g, (_, letter) => letter.toUpperCase());

// What a plain command line asks for; nothing where it has an option that is not known here.
function plain(words) {
	const asked = {filter: [], options: {}}, waiting = words.filter(word => word !== 'run');
	while (waiting.length > 0) {
		const word = waiting.shift();
		const [, no, name, value] = /^--(no-)?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
		const known = dashed(name ?? '');
		if (!word.startsWith('-')) {
			asked.filter.push(word);
		} else if (WITH_WORD.has(known) && !no && (value ?? waiting[0]) !== undefined) {
			asked.options[camel(known)] = value ?? waiting.shift();
		} else if (SWITCHES.has(known) && value === undefined) {
			asked.options[camel(known)] = !no;
		} else {
			return undefined;
		}
	}

	asked.options.run = true;
	return asked;
}

// What vitest's own command does with options before it starts.
function settings({exclude, ...options}, Reporter) {
	// Packages may bring tests along, and a project's own `exclude` takes the place of what leaves them out.
	options.cliExclude = [exclude ?? [], '**/node_modules/**'].flat();
	if (typeof options.typecheck?.only === 'boolean') {
		options.typecheck.enabled ??= true;
	}

	return {
		...options, coverage: {enabled: false}, includeTaskLocation: true, reporters: [new Reporter(), 'default'],
	};
}

const vitest = await imported();
if (!vitest.parseCLI) {
	// They look for vite from the project, where pnpm has none; its own command names the folder beside vitest.
	const beside = path.dirname(path.dirname(realpathSync(script)));
	process.env.NODE_PATH = [beside, process.env.NODE_PATH].filter(Boolean).join(path.delimiter);
	Module._initPaths();
}

const asked = vitest.parseCLI?.(['vitest', ...given]) ?? (more && plain(given));
if (asked) {
	const {default: Reporter} = await import('./vitest.mjs');
	const {filter, options} = asked;
	const plugins = more ? await more.plugins() : [];
	const run = await vitest.startVitest('test', filter, {...settings(options, Reporter), ...more?.options}, {plugins});
	await run?.exit();
} else {
	// Old versions cannot read a command line for others, but load a reporter (once) from anywhere.
	const reporter = fileURLToPath(new URL('vitest.mjs', import.meta.url));
	process.argv.push('--no-coverage', `--reporter=${reporter}`, '--reporter=default');
	await import(pathToFileURL(script).href);
}
