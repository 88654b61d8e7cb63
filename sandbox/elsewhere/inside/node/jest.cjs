'use strict';
// Jest gives every test file a registry of modules and a realm of its own: its runtime is asked, not Node's loader.
const Module = require('module');
const vm = require('vm');

// Returns the file that jest finds by this name; what stands for something else is no file of the tree.
function resolved(runtime, from, name) {
	try {
		const own = runtime._resolution; // since jest 30.4
		if (own) {
			return own.getCjsMockModule(from, name) || own.resolveCjs(from, name);
		}

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
		const {requireModule, resolveModule, unstable_importModule: importModule} = prototype;
		prototype.requireModule = function (from, name) {
			const found = Reflect.apply(requireModule, this, arguments);
			const isWhole = name === undefined || (this._config && this._config.automock);
			return isWhole ? found : handed(found, name, from, resolved(this, from, name));
		};

		const before = (usual, owner, environment) => async function (name, from, context) {
			if (behind.has(from)) {
				return behind.get(from);
			}

			const found = await Reflect.apply(usual, owner || this, arguments);
			const isText = vm.SourceTextModule && found instanceof vm.SourceTextModule;
			const text = isText ? await standIn(name, from, found.identifier) : '';
			if (!text) {
				return found;
			}

			prepare((environment || this._environment).global);
			const identifier = `assay-calls:${behind.size}`;
			behind.set(identifier, found);
			return new vm.SourceTextModule(text, {context, identifier});
		};

		if (resolveModule) {
			prototype.resolveModule = before(resolveModule);
			return;
		}

		// Since jest 30.4 a loader of its own resolves, one module after another where it cannot do so at once.
		const known = new WeakSet();
		prototype.unstable_importModule = function () {
			const {esmLoader, _resolution: resolution} = this;
			if (esmLoader && !known.has(esmLoader)) {
				known.add(esmLoader);
				esmLoader.resolveModule = before(esmLoader.resolveModule, esmLoader, this._environment);
				resolution.canResolveSync = () => false;
			}

			return Reflect.apply(importModule, this, arguments);
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
