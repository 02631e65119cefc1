export {
  createLeaderElection,
  type LeaderElection,
  type LeaderElectionOptions,
  type LeaderElectionStats,
} from "./election.ts";
export { leaseIdentity } from "./identity.ts";
