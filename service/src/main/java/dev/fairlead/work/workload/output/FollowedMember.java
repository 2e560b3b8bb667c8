package dev.fairlead.work.workload.output;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.MemberLog;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A member whose output is collected. One round at a time changes it. */
final class FollowedMember {
  static final long SOONEST = Duration.ofSeconds(1).toNanos();
  private static final long LATEST = Duration.ofSeconds(30).toNanos();
  private static final long MUCH = 256 * 1024;

  final AttemptId attempt;
  final MemberKey key;
  private long pause = SOONEST;
  private long dueAt;
  private boolean leaving;
  private boolean ended;
  private boolean over;
  private @Nullable MemberLog log;
  private @Nullable String namespace;
  private @Nullable LogChunk last;
  private @Nullable String trouble;

  FollowedMember(AttemptId attempt, MemberKey key, long now) {
    this.attempt = attempt;
    this.key = key;
    this.dueAt = now;
  }

  /**
   * The container has ended or is about to end, so its output will soon be deleted. Earlier
   * failures no longer count, and the member is due immediately.
   */
  void ends(boolean hasEnded, long now) {
    if (hasEnded ? !ended : !leaving) {
      dueAt = now;
      pause = SOONEST;
      trouble = null;
    }
    leaving = true;
    ended |= hasEnded;
  }

  boolean ended() {
    return ended;
  }

  boolean due(long now) {
    return !over && now - dueAt >= 0;
  }

  long dueAt() {
    return dueAt;
  }

  /** Stops the collection of this member. */
  boolean over() {
    return over;
  }

  @Nullable MemberLog log() {
    return log;
  }

  @Nullable String namespace() {
    return namespace;
  }

  /** The last chunk, if this process wrote it. */
  @Nullable LogChunk last() {
    return last;
  }

  @Nullable String trouble() {
    return trouble;
  }

  /**
   * Returns whether the member has reached its limit. Collection stops when its container has
   * ended.
   */
  boolean full(long memberBytes) {
    return log != null && log.bytes() >= memberBytes;
  }

  void resolved(MemberLog stored, String ofNamespace) {
    log = stored;
    namespace = ofNamespace;
    over = stored.endedAt() != null;
  }

  /** The stored state of the member is stale and must be read again. */
  void unresolved() {
    log = null;
    last = null;
  }

  /** Its output could not be read now. */
  void failed(String why, long now) {
    trouble = why;
    pause = Math.min(pause * 2, LATEST);
    dueAt = now + pause;
  }

  /** Defers the member, because a read would return nothing now. */
  void postponed(String why, long now) {
    trouble = why;
    dueAt = now + LATEST;
  }

  /** The output was read, and this state of its log is stored. */
  void stored(MemberLog now, @Nullable LogChunk chunk, long bytes, boolean more, long at) {
    log = now;
    last = chunk == null ? last : chunk;
    trouble = null;
    over = now.endedAt() != null;
    if (bytes > MUCH || leaving) {
      pause = SOONEST;
    } else {
      pause = Math.min(pause * 2, LATEST);
    }
    dueAt = more ? at : at + pause;
  }
}
