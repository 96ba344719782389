/** Files of tests that use the service and browser of `shared-service.ts`. */
export const sharedUsers = /(?:^|\/)test\/(?:dashboard|docs\.test|python|samples)/;
