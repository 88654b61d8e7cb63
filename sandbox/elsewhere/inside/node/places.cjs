'use strict';
// The names of a tree's files, as a test run loads them: what was compiled goes by the name of its source.
const fs = require('fs');
const path = require('path');

const COMPILED_FROM = {'.js': ['.ts', '.tsx'], '.mjs': ['.mts'], '.cjs': ['.cts'], '.jsx': ['.tsx']};
const FOLDERS = ['', 'src', 'source'];
const DEPTH = 2; // of the folder of what is compiled: dist, lib/esm

// Returns what gives a file's path in a tree, "" for others.
function placesIn(tree) {
	const known = new Map();
	return file => {
		if (!file.startsWith(`${tree}/`)) {
			return '';
		}

		if (!known.has(file)) {
			const own = file.slice(tree.length + 1);
			known.set(file, own.includes('node_modules/') ? own : sourceOf(tree, own) || own);
		}

		return known.get(file);
	};
}

// The file of TypeScript, outside of the folder that a file is in, which that one is compiled from; "" without one.
function sourceOf(tree, own) {
	const parts = own.split('/');
	for (let above = 1; above < Math.min(parts.length, DEPTH + 1); above++) {
		const below = parts.slice(above).join('/');
		const end = path.extname(below);
		const bare = below.slice(0, below.length - end.length);
		const names = FOLDERS.flatMap(folder => (COMPILED_FROM[end] || []).map(other => path.join(folder, bare + other)));
		const found = names.find(one => fs.existsSync(path.join(tree, one)));
		if (found) {
			return found;
		}
	}

	return '';
}

module.exports = {placesIn};
