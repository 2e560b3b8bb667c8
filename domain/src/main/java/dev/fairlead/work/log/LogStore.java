package dev.fairlead.work.log;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.MemberKey;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** What is kept of which member; the bytes are in the {@link ChunkStore}. */
public interface LogStore {
  /** Nonces that are stored. A write of the mark that arrives so many writes late is recognized. */
  int MOST_NONCES = 30;

  /**
   * A part more of a log.
   *
   * @param log as it is afterwards
   * @param chunk null when the log changed otherwise
   * @param replaced number of the part that the chunk has taken in, 0 for none
   * @param storedMore bytes in the store, less what was replaced
   */
  record Step(MemberLog log, @Nullable LogChunk chunk, int replaced, long storedMore) {}

  /** A log and its parts in their order. */
  record Whole(MemberLog log, List<LogChunk> parts) {
    public Whole {
      parts = List.copyOf(parts);
    }
  }

  /** Logs of the attempts; for loops. */
  List<MemberLog> of(Collection<AttemptId> attempts);

  /** Writes all of them or none; a log belongs to one writer at a time, which its fence assures. */
  void write(List<Step> steps);

  /** One log of the tenant, as it is at one moment. */
  Optional<Whole> whole(TenantId tenant, AttemptId attempt, MemberKey member);

  /** Bytes stored of each of these projects, those with none left out; for loops. */
  SortedMap<ProjectId, Long> stored(Collection<ProjectId> projects);

  /** Logs that did not end though nothing is left of their attempts for minutes; for loops. */
  List<MemberLog> abandoned(int limit);

  /** Logs that ended so long ago and are still there, the oldest first; for loops. */
  List<MemberLog> endedBefore(Duration age, int limit);

  /**
   * Logs to remove so that no project has more bytes than that, those that ended first before the
   * others; for loops.
   */
  List<MemberLog> over(long bytesOfProject, int limit);

  /** Whether no log has a part; for loops. */
  boolean empty();

  /** Parts of one log in their order, for its removal. */
  List<LogChunk> parts(LogMember of);

  /** The chunks of these logs are removed; for loops. */
  void removed(List<LogMember> logs, MemberLog.Removal why);

  /** Forgets removed logs that ended so long ago; returns how many. */
  int forget(Duration age, int limit);

  /** Newest nonces that this database has stored for the mark of the store, the newest first. */
  List<String> nonces();

  /** Stores a nonce before the mark gets it, and forgets all but the newest; for loops. */
  void addNonce(String nonce);

  /** Those of the keys that no part has; for loops. */
  List<ChunkKey> unknown(List<ChunkKey> keys);
}
