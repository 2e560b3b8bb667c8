package dev.fairlead.work.log;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Stored output by member. The bytes are in the {@link ChunkStore}. */
public interface LogStore {
  /**
   * Nonces that are stored. A write of the claim that arrives late by up to this many writes is
   * recognized.
   */
  int MOST_NONCES = 30;

  /**
   * Another part of a log.
   *
   * @param log the log afterwards
   * @param chunk null when the log changed otherwise
   * @param replaced number of the part that was merged into the chunk, 0 for none
   * @param storedMore bytes in the store, minus replaced ones
   */
  record Step(MemberLog log, @Nullable LogChunk chunk, int replaced, long storedMore) {}

  /** A log and its parts in their order. */
  record Whole(MemberLog log, List<LogChunk> parts) {
    public Whole {
      parts = List.copyOf(parts);
    }
  }

  /** Logs of the attempts. For loops. */
  List<MemberLog> of(Collection<AttemptId> attempts);

  /** Writes all or none. The fence ensures that a log has one writer at a time. */
  void write(List<Step> steps);

  /** One log of the tenant, at one moment. */
  Optional<Whole> whole(TenantId tenant, AttemptId attempt, MemberKey member);

  /** Stored bytes of each of these projects, omitting projects without any. For loops. */
  SortedMap<ProjectId, Long> stored(Collection<ProjectId> projects);

  /** Logs without an end, although their attempts were removed minutes ago. For loops. */
  List<MemberLog> abandoned(int limit);

  /** Logs of this age after their end, oldest first. For loops. */
  List<MemberLog> endedBefore(Duration age, int limit);

  /** Logs to remove so that no project exceeds the bytes, earliest end first. For loops. */
  List<MemberLog> over(long bytesOfProject, int limit);

  /** Returns whether no log has a part. For loops. */
  boolean empty();

  /** Parts of one log in their order, for its removal. */
  List<LogChunk> parts(LogMember of);

  /** The chunks of these logs are removed. For loops. */
  void removed(List<LogMember> logs, MemberLog.Removal why);

  /** Deletes the rows of removed logs of this age after their end. Returns their number. */
  int forget(Duration age, int limit);

  /** Newest nonces that this database has stored for the claim of the store, the newest first. */
  List<String> nonces();

  /** Stores a nonce before the claim gets it, and forgets all but the newest. For loops. */
  void addNonce(String nonce);

  /** Keys without a part. For loops. */
  List<ChunkKey> unknown(List<ChunkKey> keys);
}
