package dev.fairlead.work.workload.output;

import java.time.Duration;
import org.hibernate.validator.constraints.Range;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Retention of output and limits of its collection.
 *
 * @param keep retention since the end of the member
 * @param memberMegabytes limit of a member, before compression
 * @param projectMegabytes limit of all members of a project, compressed. The logs of members that
 *     ended first are removed first
 * @param megabytesPerSecond limit for a cluster
 * @param membersPerSecond members read on a cluster in a second
 */
@Validated
@ConfigurationProperties("fairlead.logs")
record LogSettings(
    @DefaultValue("14d")
        @DurationMin(hours = 1, message = "must be from 1h to 3650d (default 14d)")
        @DurationMax(days = 3650, message = "must be from 1h to 3650d (default 14d)")
        Duration keep,
    @DefaultValue("1024")
        @Range(min = 1, max = 1_000_000, message = "must be from 1 to 1000000 (default 1024)")
        int memberMegabytes,
    @DefaultValue("51200")
        @Range(
            min = 1,
            max = 1_000_000_000,
            message = "must be from 1 to 1000000000 (default 51200)")
        int projectMegabytes,
    @DefaultValue("32")
        @Range(min = 1, max = 10_000, message = "must be from 1 to 10000 (default 32)")
        int megabytesPerSecond,
    @DefaultValue("100")
        @Range(min = 1, max = 10_000, message = "must be from 1 to 10000 (default 100)")
        int membersPerSecond) {
  private static final long MEGABYTE = 1024 * 1024;

  long memberBytes() {
    return memberMegabytes * MEGABYTE;
  }

  long projectBytes() {
    return projectMegabytes * MEGABYTE;
  }

  long bytesPerSecond() {
    return megabytesPerSecond * MEGABYTE;
  }
}
