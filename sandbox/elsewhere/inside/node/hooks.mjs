// The ES modules of a test run. While calls are recorded, what a test file imports of the tree is a module
// that stands before the tree's own and exports proxies; while calls are made again, test files are ours.
// Vitest and jest load ES modules themselves: there a plug-in, and jest.cjs, do what Node's hooks do elsewhere.
import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {placesIn} from './places.cjs';

const MARK = '?assay-calls=';
const MOST_FILES = 400; // some export every function of theirs from a file of its own
const OTHERS = ['.ts', '.tsx', '.js', '.jsx', '.mts', '/index.ts', '/index.tsx', '/index.js'];
const NAME = /^[A-Za-z_$][\w$]*$/;
let orders = {};
let tests = new Set();
let local = () => '';

export function initialize(data) {
	orders = data;
	tests = new Set(data.tests);
	local = placesIn(data.tree);
}

const file = url => url?.startsWith('file:') && !url.includes(MARK) ? fileURLToPath(url.replace(/[?#].*$/, '')) : '';
const isSource = path => /\.[cm]?[jt]sx?$/.test(path) && local(path) && !tests.has(local(path)) && !path.includes('/node_modules/');

export async function resolve(specifier, context, next) {
	const found = await next(specifier, context);
	const from = local(file(context.parentURL));
	if (orders.record && tests.has(from) && isSource(file(found.url)) && !found.url.includes('?')) {
		return {url: `${found.url}${MARK}${encodeURIComponent(from)}`, format: 'module', shortCircuit: true};
	}

	return found;
}

export async function load(url, context, next) {
	if (orders.record && url.includes(MARK)) {
		const [real, from] = url.split(MARK);
		return {format: 'module', shortCircuit: true, source: await standIn(real, decodeURIComponent(from))};
	}

	const path = local(file(url));
	if (!orders.record && tests.has(path) && /\.[cm]?[jt]s$/.test(path)) {
		return {format: 'module', shortCircuit: true, source: orders.laid[path] ?? ''};
	}

	return next(url, context);
}

export function plugin(data, noteResolved) {
	initialize({...data, record: true});
	const bare = id => id.replace(/[?#].*$/s, '');
	return {
		name: 'assay-calls',
		enforce: 'pre',
		configResolved({plugins}) {
			const [own] = plugins.splice(plugins.findIndex(one => one.name === 'assay-calls'), 1);
			plugins.unshift(own); // before that of aliases, which hides the names that are asked for
		},
		async resolveId(source, importer, options) {
			const found = importer && !importer.includes(MARK) ? await this.resolve(source, importer, {...options, skipSelf: true}) : null;
			if (!found || found.external) {
				return found;
			}

			const from = local(bare(importer));
			noteResolved(source, bare(importer), bare(found.id));
			if (!tests.has(from) || !isSource(found.id) || await isMocked(source, bare(importer))) {
				return found;
			}

			return `${found.id}${MARK}${encodeURIComponent(from)}`;
		},
		load(id) {
			const [real, from] = id.split(MARK);
			return from ? standIn(real, decodeURIComponent(from)) : null;
		},
	};
}

// A mock of a test file is for the module's own name, which another module must not take.
async function isMocked(source, path) {
	const text = await readFile(path, 'utf8').catch(() => '');
	const mocked = text.matchAll(/[mM]ock\s*\(\s*(?:import\s*\(\s*)?(["'`])([^"'`\n]{1,300})\1/g);
	return [...mocked].some(([, , name]) => name === source);
}

// Returns the module that stands before another (its path) for a test file.
export function before(data, real, from) {
	initialize(data);
	return standIn(real, from);
}

async function standIn(real, from) {
	const path = real.startsWith('file:') ? fileURLToPath(real) : real;
	const found = await names(path, new Set());
	const own = JSON.stringify(real);
	const lines = [`import * as real from ${own};`, `const calls = globalThis[Symbol.for('assay')];`, `export * from ${own};`];
	for (const [number, name] of [...found].entries()) {
		const words = [name, local(path), from].map(word => JSON.stringify(word));
		lines.push(`const v${number} = calls.exported(real, ${words.join(', ')});`, `export {v${number} as ${name}};`);
	}

	return lines.join('\n');
}

// The names that a module seems to export; a name too many is undefined, one too few is not looked at.
async function names(path, read) {
	const found = new Set();
	if (read.size >= MOST_FILES || read.has(path)) {
		return found;
	}

	read.add(path);
	const bare = path.replace(/\.[cm]?[jt]sx?$/, '');
	let source = await readFile(path, 'utf8').catch(() => '');
	for (const other of OTHERS.map(end => bare + end)) {
		source ||= await readFile(other, 'utf8').catch(() => '');
	}

	if (!/^\s*(?:export|import)\b/m.test(source)) {
		const members = source.matchAll(/\bexports\.([A-Za-z_$][\w$]*)\s*=(?!=)|\bmodule\.exports\s*=\s*\{([^{}]{0,4000})\}/g);
		const words = [...members].flatMap(([, name, inside]) => name ?? inside.split(',').map(part => part.replace(/:.*/s, '').trim()));
		return new Set(['default', ...words.filter(word => NAME.test(word))]);
	}

	for (const [, name] of source.matchAll(/^\s*export\s+(?:(?:async\s+)?function\s*\*?|(?:abstract\s+)?class|const|let|var|enum)\s*([A-Za-z_$][\w$]*)/gm)) {
		found.add(name);
	}

	for (const [, inside] of source.matchAll(/^\s*export\s*\{([^}]{0,4000})\}/gm)) {
		for (const part of inside.split(',')) {
			const name = part.trim().split(/\s+as\s+/).pop();
			if (NAME.test(name)) {
				found.add(name);
			}
		}
	}

	for (const [, from] of source.matchAll(/^\s*export\s*\*\s*from\s*["'](\.[^"']{1,300})["']/gm)) {
		for (const name of await names(fileURLToPath(new URL(from, `file://${path}`)), read)) {
			if (name !== 'default') {
				found.add(name);
			}
		}
	}

	return /^\s*export\s+default\b/m.test(source) ? found.add('default') : found;
}
