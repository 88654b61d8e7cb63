'use strict';
// Started by tap (18 and later) as if it were a test file: tells what node was given, into a file.
require('fs').writeFileSync(process.env.ASSAY_TOLD, JSON.stringify({arguments: process.execArgv, variables: process.env}));
