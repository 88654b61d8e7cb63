// Puts our reporter in the place of ava's TAP reporter, since ava takes none from outside.
import {register} from 'node:module';
import {isMainThread} from 'node:worker_threads';

if (isMainThread) {
	register('./ava_loader.mjs', import.meta.url);
}
