package dev.fairlead.workload;

import dev.fairlead.job.MemberKey;
import dev.fairlead.job.MemberState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A pod of ours as its cluster shows it.
 *
 * @param state SUCCEEDED and FAILED only with a recorded terminal status; never GONE
 * @param started whether any container of it ever ran
 * @param exitCode of its container, null while none is recorded
 * @param reason the cluster's word: {@code OOMKilled}, {@code ImagePullBackOff}, {@code Evicted},
 *     {@code OutOfcpu}, ...
 * @param deleting whether its deletion was asked for
 */
public record ObservedMember(
    MemberKey key,
    String uid,
    MemberState state,
    @Nullable String node,
    boolean started,
    @Nullable Integer exitCode,
    @Nullable String reason,
    @Nullable String message,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    boolean deleting) {}
