'use strict';
// Loads modules of the tree. What Node alone cannot load (TypeScript, JSX, modules that name no extension, names
// that only the tests' runner knows) is made CommonJS by a compiler that the project has installed.
const fs = require('fs');
const Module = require('module');
const path = require('path');

const SCRIPT = /\.[cm]?[jt]sx?$/;
const ENDS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];
const IS_MODULE = /^\s*(?:import|export)\b(?!\s*\()/m;
const OF_THE_RUNNER = /\bimport\.meta\b(?!\.(?:url|dirname|filename)\b)/;
const BABEL = ['babel.config.js', 'babel.config.cjs', 'babel.config.json', '.babelrc', '.babelrc.js', '.babelrc.json'];
// What stands for `import.meta`, with what vite adds where nothing is tested.
const META = '__assayMeta';
const VITES = {BASE_URL: '/', MODE: 'development', DEV: true, PROD: false, SSR: true};
const START = `const ${META} = {url: require('url').pathToFileURL(__filename).href, dirname: __dirname, filename: __filename, env: ${JSON.stringify(VITES)}};`;

// Returns what loads the module of a call.
function loader({tree, root, resolved}) {
	const names = new Map((resolved || []).map(([from, name, file]) => [`${from}\n${name}`, file]));
	const top = path.join(tree, root || '');
	const compilers = [];
	let isReady = false;
	const ownRequire = Module.createRequire(path.join(tree, 'package.json'));
	return async ({url, module}) => {
		const file = path.join(tree, module);
		if (names.size === 0 && !OF_THE_RUNNER.test(fs.readFileSync(file, 'utf8'))) {
			try {
				return await import(url);
			} catch {} // Node alone cannot.
		}

		if (!isReady) {
			isReady = true;
			compilers.push(...found(top));
			find(tree, names);
			compile(tree, compilers);
		}

		return ownRequire(file);
	};
}

const isOwn = (tree, file) => Boolean(file) && file.startsWith(`${tree}/`) && !file.includes('/node_modules/');

function find(tree, names) {
	const resolve = Module._resolveFilename;
	Module._resolveFilename = function (name, parent, ...rest) {
		const from = (parent && parent.filename) || '';
		const known = isOwn(tree, from) ? names.get(`${from.slice(tree.length + 1)}\n${name}`) : undefined;
		if (known === null) {
			throw Object.assign(new Error(`${name} is something else under test.`), {code: 'MODULE_NOT_FOUND'});
		}

		try {
			return Reflect.apply(resolve, this, [known ? path.join(tree, known) : name, parent, ...rest]);
		} catch (error) {
			const place = isOwn(tree, from) && name.startsWith('.') && path.resolve(path.dirname(from), name);
			const bare = place && place.replace(SCRIPT, '');
			const all = place ? [place, bare, path.join(place, 'index')].flatMap(one => ENDS.map(end => one + end)) : [];
			const other = all.find(one => fs.existsSync(one));
			if (other) {
				return other;
			}

			throw error;
		}
	};
}

function compile(tree, compilers) {
	for (const end of ENDS.filter(one => one !== '.json')) {
		const usual = Module._extensions[end] || Module._extensions['.js'];
		Module._extensions[end] = function (module, file) {
			if (!isOwn(tree, file)) {
				return usual(module, file);
			}

			const source = fs.readFileSync(file, 'utf8');
			return module._compile(/\.c?js$/.test(end) && !IS_MODULE.test(source) ? source : compiled(source, file, compilers), file);
		};
	}
}

function compiled(source, file, compilers) {
	const text = source.replace(/\bimport\.meta\b/g, META);
	for (const compiler of compilers) {
		try {
			const code = compiler(text, file);
			if (!IS_MODULE.test(code)) {
				return `${START}${code.replace(/^#!.*/, '')}`;
			}
		} catch {} // The next one may.
	}

	throw new SyntaxError('No compiler of the project makes this CommonJS.');
}

// Returns the compilers that are installed; one that the project configures comes first.
function found(top) {
	const load = (...names) => {
		let from = Module.createRequire(path.join(top, 'package.json'));
		for (const name of names.slice(0, -1)) {
			from = Module.createRequire(from.resolve(`${name}/package.json`));
		}

		return from(names[names.length - 1]);
	};

	const babel = [['@babel/core'], ['jest', 'jest-cli', 'jest-config', 'babel-jest', '@babel/core']].map(names => () => byBabel(load(...names), top));
	const others = [
		...[['esbuild'], ['vite', 'esbuild'], ['vitest', 'vite', 'esbuild'], ['tsx', 'esbuild']].map(names => () => byEsbuild(load(...names), top)),
		() => bySwc(load('@swc/core')),
		() => byTypeScript(load('typescript')),
	];
	const isBabels = BABEL.some(name => fs.existsSync(path.join(top, name)));
	return (isBabels ? [...babel, ...others] : [...others, ...babel]).flatMap(make => {
		try {
			return [make()];
		} catch {
			return [];
		}
	});
}

function byEsbuild(esbuild, top) {
	const settings = path.join(top, 'tsconfig.json');
	const tsconfigRaw = fs.existsSync(settings) ? fs.readFileSync(settings, 'utf8') : '{}';
	return (text, file) => {
		const end = path.extname(file);
		const loader = {'.ts': 'ts', '.mts': 'ts', '.cts': 'ts', '.tsx': 'tsx'}[end] || 'jsx';
		return esbuild.transformSync(text, {loader, format: 'cjs', target: 'es2022', sourcefile: file.replace(/\.m([jt]s)$/, '.$1'), tsconfigRaw, logLevel: 'silent'}).code;
	};
}

function bySwc(swc) {
	return (text, filename) => swc.transformSync(text, {
		filename,
		module: {type: 'commonjs'},
		jsc: {target: 'es2022', parser: {syntax: 'typescript', tsx: filename.endsWith('x'), decorators: true}},
	}).code;
}

function byTypeScript(ts) {
	return (text, fileName) => {
		const settings = ts.findConfigFile(path.dirname(fileName), ts.sys.fileExists);
		const read = settings ? ts.readConfigFile(settings, ts.sys.readFile).config : {};
		const {options} = ts.parseJsonConfigFileContent(read, {...ts.sys, readDirectory: () => []}, path.dirname(settings || fileName));
		const own = {module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true, sourceMap: false, inlineSourceMap: false};
		return ts.transpileModule(text, {fileName, compilerOptions: {jsx: ts.JsxEmit.React, ...options, ...own, moduleResolution: undefined, verbatimModuleSyntax: false}}).outputText;
	};
}

function byBabel(babel, top) {
	const caller = {name: 'babel-jest', supportsStaticESM: false, supportsDynamicImport: false, supportsTopLevelAwait: false};
	return (text, filename) => babel.transformSync(text, {filename, cwd: top, root: top, caller, envName: 'test', sourceType: 'unambiguous', babelrc: true}).code;
}

module.exports = {loader};
