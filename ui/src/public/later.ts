/** The parts that the first moment does not need, loaded once the page is live. It must never hold a part of the prerendered page. */
export { Attach } from './attach/attach';
export { leaveFiles } from './attach/files';
export { Choices } from './chat/choices';
export { Counter, isEnough } from './chat/counter';
export { Closing, End } from './chat/end';
export { KeptNotices } from './chat/kept-notices';
export { Linked } from './chat/linked';
export { Numbers, Pin } from './chat/pin';
export { Review } from './chat/review';
export { talk } from './chat/talk';
export { Waiting } from './chat/waiting';
export { Restart } from './restart';
export { watchStatus } from './watch-status';
