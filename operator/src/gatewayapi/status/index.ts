export { createStatuses, statusKey } from "./statuses.ts";
