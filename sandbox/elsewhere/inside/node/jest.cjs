'use strict';
// Jest gives every test file a registry of modules and a realm of its own: its runtime is asked, not Node's loader.
const Module = require('module');
const vm = require('vm');

// Returns the file that jest finds by this name; what stands for something else is no file of the tree.
function resolved(runtime, from, name) {
	try {
		const stub = runtime._resolver.getMockModule(from, name);
		return stub || (runtime._resolveCjsModule || runtime._resolveModule).call(runtime, from, name);
	} catch {
		return '';
	}
}

// Changes jest's runtime as soon as Node has loaded it.
function onRuntime(change) {
	const load = Module._load;
	let isChanged = false;
	Module._load = function (request) {
		const found = Reflect.apply(load, this, arguments);
		const Runtime = !isChanged && /(?:^|[\\/])jest-runtime(?:$|[\\/])/.test(request) && found && (found.default || found);
		if (typeof Runtime === 'function' && Runtime.prototype.requireModule) {
			isChanged = true;
			change(Runtime.prototype);
		}

		return found;
	};
}

// What files are given for modules goes through `handed`; before an ES module stands what `standIn` writes.
function record({handed, standIn, prepare}) {
	const behind = new Map(); // the name of a module that stands before another → that one
	onRuntime(prototype => {
		const {requireModule, resolveModule} = prototype;
		prototype.requireModule = function (from, name) {
			const found = Reflect.apply(requireModule, this, arguments);
			const isWhole = name === undefined || (this._config && this._config.automock);
			return isWhole ? found : handed(found, name, from, resolved(this, from, name));
		};

		prototype.resolveModule = async function (name, from, context) {
			if (behind.has(from)) {
				return behind.get(from);
			}

			const found = await Reflect.apply(resolveModule, this, arguments);
			const isText = vm.SourceTextModule && found instanceof vm.SourceTextModule;
			const text = isText ? await standIn(name, from, found.identifier) : '';
			if (!text) {
				return found;
			}

			prepare(this._environment.global);
			const identifier = `assay-calls:${behind.size}`;
			behind.set(identifier, found);
			return new vm.SourceTextModule(text, {context, identifier});
		};
	});
}

// Test files that are ours run without what the project sets up for them, others not at all; `prepare` is given
// the realm of each.
function bare({isOurs, isTest, prepare}) {
	const changed = usual => function (from, name) {
		const config = this._config || {};
		const setUp = [config.setupFiles, config.setupFilesAfterEnv, config.setupTestFrameworkScriptFile].flat();
		if (name === undefined && !isOurs(from) && (setUp.includes(from) || isTest(from))) {
			return {};
		}

		if (name === undefined && isOurs(from)) {
			const {global} = this._environment;
			for (const one of Object.keys(config.globals || {})) {
				delete global[one];
			}

			prepare(global);
		}

		return Reflect.apply(usual, this, arguments);
	};

	onRuntime(prototype => {
		for (const key of ['requireModule', 'unstable_importModule'].filter(one => prototype[one])) {
			prototype[key] = changed(prototype[key]);
		}
	});
}

module.exports = {bare, record};
