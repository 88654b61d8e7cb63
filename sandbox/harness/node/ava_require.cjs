'use strict';
// Puts our reporter in the place of ava's TAP reporter, for versions (1 to 3) that are no ES modules.
const Module = require('module');

const load = Module._load;
Module._load = function (request, parent) {
	const isAvas = parent && parent.filename && /[\\/]node_modules[\\/]ava[\\/]lib[\\/]cli\.js$/.test(parent.filename);
	return isAvas && request === './reporters/tap' ? require('./ava.cjs') : load.apply(this, arguments);
};
