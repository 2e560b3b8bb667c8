package dev.fairlead.work.workload;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.MemberKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which output.
 *
 * @param tail maximum of last lines, null for all
 * @param since lines from the second of that time on, null for all
 * @param follow whether the stream stays open until the member ends
 */
public record LogRequest(
    AttemptId attempt,
    String namespace,
    MemberKey member,
    @Nullable Integer tail,
    @Nullable Instant since,
    boolean follow) {}
