package dev.fairlead.workload.output;

import dev.fairlead.job.AttemptId;
import dev.fairlead.job.MemberKey;
import dev.fairlead.log.LogChunk;
import dev.fairlead.log.MemberLog;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A member whose output is taken. Changed by one round at a time. */
final class FollowedMember {
  static final long SOONEST = Duration.ofSeconds(1).toNanos();
  private static final long LATEST = Duration.ofSeconds(30).toNanos();
  private static final long MUCH = 256 * 1024;

  final AttemptId attempt;
  final MemberKey key;
  private long pause = SOONEST;
  private long dueAt;
  private boolean ended;
  private boolean over;
  private @Nullable MemberLog log;
  private @Nullable String namespace;
  private @Nullable LogChunk last;
  private @Nullable String trouble;
  private long troubleSince;

  FollowedMember(AttemptId attempt, MemberKey key, long now) {
    this.attempt = attempt;
    this.key = key;
    this.dueAt = now;
  }

  /** Its container has ended or is about to: what it wrote goes soon. */
  void ends(boolean hasEnded, long now) {
    if (!ended) {
      dueAt = now;
    }
    ended = hasEnded;
    pause = SOONEST;
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

  /** No more is taken. */
  boolean over() {
    return over;
  }

  @Nullable MemberLog log() {
    return log;
  }

  @Nullable String namespace() {
    return namespace;
  }

  /** The last chunk, when this process wrote it. */
  @Nullable LogChunk last() {
    return last;
  }

  @Nullable String trouble() {
    return trouble;
  }

  /** Whether its output is known not to come since so long. */
  boolean troubledFor(Duration time, long now) {
    return trouble != null && now - troubleSince >= time.toNanos();
  }

  void resolved(MemberLog stored, String ofNamespace) {
    log = stored;
    namespace = ofNamespace;
    over = stored.endedAt() != null;
  }

  /** What the database has of it has to be read again. */
  void unresolved() {
    log = null;
    last = null;
  }

  /** Its output could not be taken now. */
  void failed(String why, long now) {
    if (trouble == null) {
      troubleSince = now;
    }
    trouble = why;
    pause = ended ? SOONEST : Math.min(pause * 2, LATEST);
    dueAt = now + pause;
  }

  /** It was looked at, and this is stored of it. */
  void stored(MemberLog now, @Nullable LogChunk chunk, long bytes, boolean more, long at) {
    log = now;
    last = chunk == null ? last : chunk;
    trouble = null;
    over = now.endedAt() != null;
    if (bytes > MUCH || ended) {
      pause = SOONEST;
    } else {
      pause = Math.min(pause * 2, LATEST);
    }
    dueAt = more ? at : at + pause;
  }
}
